"""What Plangate knows about plans, and nothing of how it is reached or stored."""
