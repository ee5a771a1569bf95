"""The Plangate service. Start it with ``plangate serve`` or ``python -m plangate_server``."""
