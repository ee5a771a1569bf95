"""A folder of plan files, kept in step with a gate in both directions, by a client of the gate.

``deciding`` says what to do about one plan, from what the gate says, what the file says and what was last in
step; it knows neither files nor a gate. ``keeper`` does it, ``files`` and ``memory`` are the folder and what
is kept in it, ``running`` listens to both sides.
"""
