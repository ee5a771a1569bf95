"""Side-by-side measurements: ``python -m bench``, or a group of them, ``python -m bench core``.

Every contender is a server in a process of its own, on loopback; this process is the load generator. To add
a contender, write one file in ``contenders`` and enter it in the measurements it takes part in; to add a
measurement, write one file in ``measurements`` and list it in a group. What was seen goes to ``results``: a
page for each group, and one plot.
"""
