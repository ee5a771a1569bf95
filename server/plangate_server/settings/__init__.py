"""What an operator can set: by flag, by environment, in a file; the first that says something wins."""

from plangate_server.settings.command import add_database, read_database, read_settings
from plangate_server.settings.saying import Parser, complain
from plangate_server.settings.table import DEFAULT_LISTEN, DEFAULT_WEB_LISTEN, SETTINGS, Setting, Settings
from plangate_server.settings.values import UNIX, stays_here

__all__ = [
    "DEFAULT_LISTEN",
    "DEFAULT_WEB_LISTEN",
    "SETTINGS",
    "UNIX",
    "Parser",
    "Setting",
    "Settings",
    "add_database",
    "complain",
    "read_database",
    "read_settings",
    "stays_here",
]
