"""The digest that an approval covers: SHA-256 over the canonical JSON form (RFC 8785) of the content.

The content holds only strings, booleans, lists and objects with ASCII keys. For those, what msgspec writes is
the canonical form when the keys are in order, as they are here; a test holds it against an independent
implementation.
"""

from __future__ import annotations

import hashlib

import msgspec

from plangate_server.domain.content import Content


def canonical_json(content: Content) -> bytes:
    """The bytes that are hashed; anyone can make them again from a plan."""
    document = {
        "is_project": content.is_project,
        "is_spec": content.is_spec,
        "name": content.name,
        "overview": content.overview,
        "phases": [{"name": p.name, "todos": p.todo_ids} for p in content.phases],
        "plan": content.plan,
        "todos": [{"content": t.content, "dependencies": t.dependencies, "id": t.id} for t in content.todos],
    }
    return msgspec.json.encode(document)


def digest(content: Content) -> str:
    """The digest in lower-case hexadecimal."""
    return hashlib.sha256(canonical_json(content)).hexdigest()
