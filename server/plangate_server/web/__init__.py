"""The web port: the review page, calls as JSON, live streams, the gateway for IDEs, metrics and health."""
