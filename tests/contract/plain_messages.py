"""Mirrored messages as plain data: what a decoded one holds, and any that may come."""

from typing import Any

from google.protobuf.message import Message
from hypothesis import strategies as st

from tests.contract.mirrored_schema import ENUMS, MESSAGES, Field
from tests.contract.wire_encoder import Plain


def plain(name: str, message: Message) -> Plain:
    """What the message holds, as the encoder takes it: fields that are not present are left out."""
    return {
        field.name: _plain_value(field, getattr(message, field.name))
        for field in MESSAGES[name]
        if _is_present(field, message)
    }


def _is_present(field: Field, message: Message) -> bool:
    if field.label == "optional" or (field.type in MESSAGES and field.label == "singular"):
        return message.HasField(field.name)
    return bool(getattr(message, field.name))


def _plain_value(field: Field, value: Any) -> Any:
    if field.label == "repeated":
        return [plain(field.type, item) if field.type in MESSAGES else item for item in value]
    return plain(field.type, value) if field.type in MESSAGES else value


def plain_messages(name: str) -> st.SearchStrategy[Plain]:
    """Any value of a mirrored message; of the members of a oneof at most one is there."""
    free = {field.name: _values(field) for field in MESSAGES[name] if field.oneof is None}
    members = [
        st.fixed_dictionaries({field.name: _values(field)})
        for field in MESSAGES[name]
        if field.oneof is not None
    ]
    return st.builds(
        lambda chosen, rest: chosen | rest,
        st.one_of(st.just({}), *members),
        st.fixed_dictionaries({}, optional=free),
    )


def _values(field: Field) -> st.SearchStrategy[Any]:
    values = _single_values(field.type)
    if field.label == "repeated":
        return st.lists(values, min_size=1, max_size=4)
    if field.label == "optional" or field.type in MESSAGES:
        return values
    # A zero value of a field without presence is never on the wire.
    return values.filter(bool)


def _single_values(type_: str) -> st.SearchStrategy[Any]:
    if type_ in MESSAGES:
        return plain_messages(type_)
    if type_ in ENUMS:
        return st.sampled_from(sorted(ENUMS[type_].values()))
    scalars: dict[str, st.SearchStrategy[Any]] = {
        "string": st.text(st.characters(codec="utf-8"), max_size=40),
        "bool": st.booleans(),
        "int32": st.integers(-(2**31), 2**31 - 1),
        "int64": st.integers(-(2**63), 2**63 - 1),
    }
    return scalars[type_]
