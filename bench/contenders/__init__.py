"""Servers that are measured side by side, one file each."""
