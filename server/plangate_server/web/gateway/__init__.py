"""The IDE gateway: a session's plans as JSON messages over a WebSocket, or as server-sent events."""
