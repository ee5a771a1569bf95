"""The web port: metrics and health over HTTP."""
