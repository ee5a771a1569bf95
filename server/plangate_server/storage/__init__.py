"""Where plans and events are kept: one store over SQLAlchemy Core."""
