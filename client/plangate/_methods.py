"""Makes a method of a client out of a function that describes a call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


def described(method: Method, describe: Callable[..., Any], *, on: str = "") -> Method:
    """The method, with the name, the words and the arguments of the description.

    ``on`` names the argument of the description that the object itself stands for.
    """
    arguments = [each for each in inspect.signature(describe).parameters.values() if each.name != on]
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__name__, method.__doc__ = describe.__name__, describe.__doc__
    method.__signature__ = inspect.Signature([itself, *arguments])  # type: ignore[attr-defined]
    return method
