"""What is said to a gate, described once for both clients: pure functions from arguments to calls."""
