"""``plangate review``: the full-screen terminal of people who decide. Needs the extra ``tui``.

What is shown is made by modules without a terminal (state, rows, lines, markdown, plan_page, call_page); the
screens and boxes put it on one.
"""
