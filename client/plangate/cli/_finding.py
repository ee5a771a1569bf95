"""Which plan a person means: nobody types a whole plan_uri."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from plangate._client import Client
from plangate.cli._gate import CommandError
from plangate.cli._text import CUT, visible
from plangate.cli._words import state_of
from plangate.errors import MalformedPlanUri
from plangate.planfile.names import stem_of
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState

Thing = TypeVar("Thing")

SHOWN_DIGITS: Final = 8
"""So much of a plan's id is shown in lists, from its end, where ids differ."""


def _fits_cut(own: str, named: str) -> bool:
    """Whether a table with little room shows it so."""
    return named.endswith(CUT) and own.startswith(named.removesuffix(CUT))


FITS: Final[Sequence[Callable[[str, str], bool]]] = (
    str.__eq__,
    _fits_cut,
    str.startswith,
    str.__contains__,
)
"""From the closest fit to the loosest: what fits closer is meant."""


def short_id(plan: Plan) -> str:
    return plan.plan_id[-SHOWN_DIGITS:]


def find_plan(client: Client, named: str, *states: PlanState.ValueType) -> Plan:
    """The one plan, in one of the states or in any, that a name fits: its uri, name, file name or id, as they
    are or as a table shows them, else the beginning of one of them, else a part.
    """
    if "://" in named:
        return _by_uri(client, named)
    found = fitting(_until_certain(client.list_plans(*states), named), named)
    match found:
        case [plan]:
            return plan
        case []:
            raise CommandError(_missing(client, named) if states else _unknown(named))
        case _:
            names = ", ".join(plan.file_name for plan in found[:5]) + (", …" if len(found) > 5 else "")
            more = (
                "the file name or id of one"
                if len({plan.name for plan in found}) == 1
                else "more of the name"
            )
            raise CommandError(f"{named!r} fits {len(found)} plans ({names}): give {more}")


def _by_uri(client: Client, named: str) -> Plan:
    try:
        return client.get_plan(named)
    except MalformedPlanUri:
        # A part of one, or a name with an address in it.
        plans = list(client.list_plans())
        match [plan for plan in plans if plan.plan_uri.startswith(named)] or fitting(plans, named):
            case [plan]:
                return plan
            case _:
                raise


def _until_certain(plans: Iterable[Plan], named: str) -> Iterator[Plan]:
    """No more of them than it takes: a whole id fits one plan only. Names can be alike."""
    for plan in plans:
        yield plan
        if plan.plan_id == named:
            return


def fitting(plans: Iterable[Plan], named: str) -> Sequence[Plan]:
    """The plans that a name fits best."""
    return closest(plans, named, _names)


def closest(known: Iterable[Thing], named: str, names: Callable[[Thing], Iterable[str]]) -> Sequence[Thing]:
    """The things that a name fits best, of which each has several."""
    things = list(known) if named else []
    for fits in FITS:
        found = [thing for thing in things if any(fits(own, named) for own in names(thing))]
        if found:
            return found
    return []


def _names(plan: Plan) -> tuple[str, ...]:
    shown = (plan.name, visible(plan.name)) if plan.name else ()
    return (plan.file_name, stem_of(plan.file_name), plan.plan_id, short_id(plan), *shown)


def _missing(client: Client, named: str) -> str:
    """There may be one that no longer waits."""
    match fitting(client.list_plans(), named):
        case [plan]:
            return f"{plan.file_name} is {state_of(plan).text}: there is nothing to decide"
        case _:
            return _unknown(named)


def _unknown(named: str) -> str:
    return f"no plan is called {named!r}: see 'plangate pending'"
