"""What the service does: one file per verb, each a function over the ports."""
