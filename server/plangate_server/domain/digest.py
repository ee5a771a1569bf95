"""The digest that an approval covers: SHA-256 over the canonical JSON form (RFC 8785) of the content.

The content holds only strings, booleans, lists and objects with ASCII keys. For those, what the standard
library writes is the canonical form; a test holds it against an independent implementation.
"""

from __future__ import annotations

import hashlib
import json

from plangate_server.domain.content import Content


def canonical_json(content: Content) -> bytes:
    """The bytes that are hashed; anyone can make them again from a plan."""
    document = {
        "is_project": content.is_project,
        "is_spec": content.is_spec,
        "name": content.name,
        "overview": content.overview,
        "phases": [{"name": p.name, "todos": list(p.todo_ids)} for p in content.phases],
        "plan": content.plan,
        "todos": [
            {"content": t.content, "dependencies": list(t.dependencies), "id": t.id} for t in content.todos
        ],
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def digest(content: Content) -> str:
    """The digest in lower-case hexadecimal."""
    return hashlib.sha256(canonical_json(content)).hexdigest()
