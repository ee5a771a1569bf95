"""docs/settings.md"""

from __future__ import annotations

from plangate_server.settings import SETTINGS


def page() -> str:
    """Every setting, in each of the places where it can be set."""
    lines = [
        "# Settings",
        "",
        "<!-- Written by tools/generate_docs.py from server/plangate_server/settings/table.py. -->",
        "",
        "A flag wins over the environment, the environment over the file that `--config FILE` (or",
        "`PLANGATE_CONFIG`) names, the file over the default. `{data}` is the user's data folder",
        "(`~/.local/share/plangate` on Linux). What they are for stands in",
        "[running Plangate](operations.md).",
        "",
        "| in the file | flag | variable | default | what it sets |",
        "|---|---|---|---|---|",
    ]
    for setting in SETTINGS:
        default = f"`{setting.default}`" if setting.default else setting.absent
        flag = f"`{setting.flag} {setting.placeholder}`"
        lines.append(f"| `{setting.name}` | {flag} | `{setting.variable}` | {default} | {setting.help} |")
    return "\n".join(lines) + "\n"
