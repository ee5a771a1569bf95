"""What people said about a plan and goes along with a decision: nobody sends what they were not shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TextIO

from plangate._client import Client
from plangate.cli._decisions import comment_lines, is_open, sends
from plangate.cli._looking import all_comments
from plangate.cli._words import counted
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_resource_pb2 import Comment


class Remarks:
    """The open comments of a plan, and which of them the person has been shown."""

    def __init__(self, client: Client, plan: Plan) -> None:
        self._client = client
        self._plan = plan
        self._shown: set[str] = set()
        self._count = 0

    def take(self, remarks: Collection[Comment]) -> None:
        """These are open, and shown with the plan."""
        self._count = len(remarks)
        self._shown = {each.comment_id for each in remarks}

    def look_again(self) -> list[Comment]:
        """Those that are open now and were not shown; from now on they are."""
        remarks = [
            each for each in all_comments(self._client, self._client.review(self._plan)) if is_open(each)
        ]
        self._count = len(remarks)
        return self.not_shown(remarks)

    def not_shown(self, remarks: Iterable[Comment]) -> list[Comment]:
        new = [each for each in remarks if each.comment_id not in self._shown]
        self._shown |= {each.comment_id for each in new}
        return new

    def along(self) -> str:
        """What a decision sends, behind the words for it."""
        return f" ({sends(self._count)})" if self._count else ""


def print_comments(comments: Collection[Comment], to: TextIO | None = None, *, title: str = "") -> None:
    if comments and title:
        print(f"\n{title}", file=to)
    for comment in comments:
        print(*(f"  {line}" for line in comment_lines(comment)), sep="\n", file=to)


def print_meanwhile(comments: Collection[Comment], to: TextIO | None = None) -> None:
    """Comments that came after the person had begun to answer."""
    came = "a comment" if len(comments) == 1 else counted(len(comments), "comment")
    print_comments(comments, to, title=f"{came} came meanwhile:")
