"""What is behind the channels of a FakeGate: a gate's rules, in memory."""
