"""How much property tests, which are seeded, and races try: little with each `make test`, more in CI."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

SHARE = {"fast": 0.25, "thorough": 2.0}
"""The profiles, and how much each tries of what a test asks for."""

# A slow machine is no fault of what is tested; and what a run tries depends on its seed alone.
for profile in SHARE:
    settings.register_profile(
        profile, deadline=None, database=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
    )


def examples(count: int, **more: Any) -> settings:
    """As many examples as the profile of this run makes of the count."""
    return settings(settings.default, max_examples=rounds(count), **more)


def rounds(count: int) -> int:
    """The same for tests that play the same game many times; with the thorough profile, at least as asked."""
    return max(1, round(count * SHARE[settings.get_current_profile_name()]))
