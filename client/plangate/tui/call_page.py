"""A tool call that waits, as lines: exactly what would be done, what comes after it, and the last answer."""

from __future__ import annotations

from collections.abc import Iterator

from plangate._common.text_safety import visible
from plangate.cli._tool_calls import answer_of, asked_lines, call_lines, first_line
from plangate.cli._words import counted
from plangate.tui.lines import Line, lines_of
from plangate.tui.reader import MUST_BE_SEEN
from plangate_proto.agent.v1.tool_approval_service_pb2 import WatchApprovalsResponse


def call_page(told: WatchApprovalsResponse) -> list[Line]:
    asked = len([*asked_lines(told.prompt)]) if told.HasField("prompt") else 0
    return [
        line._replace(part=MUST_BE_SEEN if number < asked else "")
        for number, line in enumerate(lines_of(_lines(told)))
    ]


def _lines(told: WatchApprovalsResponse) -> Iterator[str]:
    if told.HasField("prompt"):
        yield from call_lines(told.prompt)
    else:
        yield f"session {visible(told.session_id)}: no tool call waits for an answer"
    yield ""
    if told.queue_length > 1:
        yield f"queue   {counted(told.queue_length - 1, 'more call')} of the session after it"
    if told.HasField("last_decision"):
        last = told.last_decision
        yield f"last    {visible(f'{last.tool_name} {first_line(last.command)}: {answer_of(last)}')}"
