"""Writes the parts of docs/ that follow from the code, so that they cannot tell anything else.

python tools/generate_docs.py           write them
python tools/generate_docs.py --check   say which are out of date, exit 1
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pages import api, command_line, errors, limits, metrics, roles, sessions, settings, states

ROOT = Path(__file__).resolve().parent.parent
PAGES = (api, command_line, errors, limits, metrics, roles, sessions, settings, states)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    outdated = []
    for page in PAGES:
        name = f"docs/{page.__name__.removeprefix('pages.').replace('_', '-')}.md"
        path, text = ROOT / name, page.page()
        if not path.exists() or path.read_text() != text:
            outdated.append(name)
            if not check:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
    if check and outdated:
        print("out of date, run tools/generate_docs.py:", *outdated, file=sys.stderr)
    return 1 if check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
