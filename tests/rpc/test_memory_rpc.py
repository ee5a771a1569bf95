"""What is remembered: which calls it answers, how far and how long, and how it is forgotten."""

from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1.agent_session_service_pb2 import SetModeRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalDecision,
    ForgetRememberedRequest,
    ListRememberedRequest,
    Remembered,
    RememberScope,
    RequestApprovalRequest,
    ResetMemoryRequest,
)
from plangate_server.domain import limits
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate, open_gate
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of, rest_of
from tests.helpers.tokens import ADMIN
from tests.helpers.tool_calls import (
    AGENT,
    FOR_SESSION,
    NO,
    OTHER_WORKSPACE,
    PATCH,
    PLAN,
    RESTART,
    YES,
    call,
    decision_of,
    mcp,
    outcome,
    patch,
    remember,
    resolution,
    standing,
    state_of,
    tool,
    verdict,
)
from tests.rpc.bad_requests import Bad, over

RESOLVE = "/agent.v1.ApprovalService/ResolveApproval"
FORGET = "/agent.v1.ApprovalService/ForgetRemembered"
RESET = "/agent.v1.ApprovalService/ResetMemory"


async def kept(gate: Gate, asked: RequestApprovalRequest, option: str = YES, **fields: Any) -> Remembered:
    """What is remembered of an answer to the call."""
    await gate.ask(asked)
    answer = await gate.answer(option, asked.session_id, **{"remember": remember(), **fields})
    assert answer.HasField("remembered")
    return answer.remembered


async def listed(gate: Gate, **fields: Any) -> list[Remembered]:
    return list((await gate.approvals.ListRemembered(ListRememberedRequest(**fields))).remembered)


async def asks(gate: Gate, command: str, session_id: str = "s") -> bool:
    """Whether a person would be asked about a command."""
    request = tool(command=command, session_id=session_id)
    return verdict(await gate.sessions.AuthorizeTool(request))[0] == "CONFIRM"


async def forget(gate: Gate, remembered_id: str, **fields: str) -> Remembered:
    request = ForgetRememberedRequest(remembered_id=remembered_id, **fields)
    return (await gate.approvals.ForgetRemembered(request)).remembered


async def reset(gate: Gate, kind: Any, session_id: str = "", **fields: str) -> int:
    request = ResetMemoryRequest(kind=kind, session_id=session_id, **fields)
    return (await gate.approvals.ResetMemory(request)).cleared


async def test_yes_for_the_session_is_remembered(gate: Gate) -> None:
    """APPROVED_FOR_SESSION answers the very same call in this session, without a prompt, and no other."""
    await gate.ask(call())
    answer = await gate.answer(FOR_SESSION)
    assert decision_of(answer.approval) == FOR_SESSION
    assert answer.remembered.scope == RememberScope.REMEMBER_SCOPE_SESSION
    again = await rest_of(gate.approvals.RequestApproval(call(call_id="c2")))
    rule = f"remembered:{answer.remembered.remembered_id}"
    assert [outcome(each) for each in again] == [("DECIDED", "APPROVED", "AUTO", rule)]
    assert await asks(gate, "make test all")
    assert await asks(gate, "make test", "other")


async def test_an_answer_is_not_remembered_unless_somebody_says_so(gate: Gate) -> None:
    """A plain yes or no is for this once."""
    for number, option in enumerate((YES, NO)):
        await gate.ask(call(call_id=f"c{number}"))
        assert not (await gate.answer(option)).HasField("remembered")
    assert await listed(gate) == []
    assert await asks(gate, "make test")


async def test_what_is_remembered_says_all_about_itself(gate: Gate) -> None:
    """Kind, tool, signature, answer, scope, session, who, and until when."""
    exact = await kept(gate, call('make  "a"  test'))
    assert (exact.kind, exact.tool_name, exact.signature, exact.is_pattern) == (
        call().kind,
        "bash",
        "make a test",
        False,
    )
    assert exact.decision == ApprovalDecision.APPROVAL_DECISION_APPROVED
    assert (exact.scope, exact.session_id) == (RememberScope.REMEMBER_SCOPE_SESSION, "s")
    assert (exact.reviewer, exact.HasField("expire_time")) == (ADMIN, False)
    wide = await kept(
        gate, call("git log -3", "c2"), NO, remember=remember("git log **", "WORKSPACE", seconds=60)
    )
    assert (wide.signature, wide.is_pattern, wide.session_id) == ("git log **", True, "")
    assert wide.decision == ApprovalDecision.APPROVAL_DECISION_DENIED
    assert (wide.expire_time.ToDatetime() - wide.create_time.ToDatetime()).total_seconds() == 60
    assert await listed(gate) == [exact, wide]


PATTERNS = {
    "one word": (
        "git show HEAD",
        "git show *",
        ["git show main"],
        ["git show", "git show a b", "git show -p"],
    ),
    "the rest": ("npm test -- a", "npm test **", ["npm test", "npm test x y"], ["npm install", "npm"]),
    "word by word": ("make a b", "make * b", ["make x b"], ["make a c", "make -f b"]),
    "without wildcards": ("make a", "make a", ["make   a", 'make "a"'], ["make a b"]),
}


@pytest.mark.parametrize("name", PATTERNS)
async def test_a_pattern_answers_for_calls_like_this(gate: Gate, name: str) -> None:
    """What the pattern covers passes; what it does not is asked about, and so is anything compound."""
    command, pattern, covered, others = PATTERNS[name]
    await kept(gate, call(command), remember=remember(pattern))
    assert [each for each in (command, *covered) if await asks(gate, each)] == []
    compound = [
        f"{command}; rm -r /",
        f"{command} && ls",
        f"{command} $(id)",
        f"{command}\nls",
        f"{command} | sh",
    ]
    assert [each for each in (*others, *compound) if not await asks(gate, each)] == []


BAD_PATTERNS = {
    "another command": ("make test", "make install"),
    "too short": ("make test", "make"),
    "any program": ("make test", "* test"),
    "everything": ("make test", "**"),
    "half a word": ("make test", "make te*"),
    "the rest in the middle": ("make a b", "make ** b"),
    "anything a shell runs": ("bash build.sh", "bash *"),
    "anything an interpreter runs": ("python3 -c x", "python3 **"),
    "compound": ("make test", "make test; rm *"),
}


@pytest.mark.parametrize("name", BAD_PATTERNS)
async def test_a_pattern_that_is_too_wide_or_not_of_the_call_is_refused(gate: Gate, name: str) -> None:
    """The prompt stays: nothing is answered, nothing remembered."""
    command, pattern = BAD_PATTERNS[name]
    await gate.ask(call(command))
    refusal = await refused(gate.answer(YES, remember=remember(pattern)))
    Bad(RESOLVE, "INVALID_FIELD", b"", {"field": "remember.pattern"}).check(refusal)
    assert (await gate.prompt()).call_id == "c1"
    assert await listed(gate) == []


NOT_REMEMBERED = {
    "compound": call("make && make install"),
    "substitution": call("make $(cat targets)"),
    "two lines": call("make\nrm -r /"),
    "a redirection": call("make > log"),
    "a glob": call("rm *.o"),
    "an unseen character": call("make\u200b test"),
    "longer than anyone reads": call("make " + "x" * 5000),
    "arguments that are no JSON": mcp(arguments="to: ada"),
    "arguments that are too deep": mcp(arguments='{"to": ' + "[" * 200 + "]" * 200 + "}"),
}


@pytest.mark.parametrize("name", NOT_REMEMBERED)
async def test_what_cannot_be_read_cannot_be_remembered(gate: Gate, name: str) -> None:
    """Neither by APPROVED_FOR_SESSION nor by a scope, with a yes or a no; this once it can be answered."""
    await gate.ask(NOT_REMEMBERED[name])
    assert not (await gate.prompt()).can_remember
    wishes: list[tuple[str, dict[str, Any], str]] = [
        (FOR_SESSION, {}, "decision"),
        (YES, {"remember": remember()}, "remember"),
        (NO, {"remember": remember(scope="WORKSPACE")}, "remember"),
    ]
    for option, fields, field in wishes:
        refusal = await refused(gate.answer(option, **fields))
        Bad(RESOLVE, "INVALID_FIELD", b"", {"field": field}).check(refusal)
    assert state_of((await gate.answer(YES)).approval) == "DECIDED"
    assert await listed(gate) == []


async def test_patches_are_remembered_by_their_text(gate: Gate) -> None:
    """The very same patch passes; with a pattern, any patch of the tool, and no other tool."""
    await kept(gate, patch())
    assert decision_of(await gate.ask(patch("c2"))) == "APPROVED"
    other = PATCH.replace("clean", "cleaner")
    assert standing(await gate.ask(patch("c3", other))) == ("ACTIVE", 0)
    wide = (await gate.answer(YES, remember=remember("*"))).remembered
    assert (wide.signature, wide.is_pattern) == ("*", True)
    assert decision_of(await gate.ask(patch("c4", PATCH.replace("clean", "bare")))) == "APPROVED"
    assert state_of(await gate.ask(patch("c5", tool_name="write_file"))) == "ACTIVE"
    assert state_of(await gate.ask(call(PATCH, "c6", tool_name="apply_patch"))) == "QUEUED"


@pytest.mark.parametrize("asked", [patch(), mcp()], ids=["edit", "mcp"])
async def test_the_only_pattern_of_patches_and_arguments_is_any(
    gate: Gate, asked: RequestApprovalRequest
) -> None:
    """A command pattern means nothing there."""
    await gate.ask(asked)
    for pattern in ("**", "git *", "cellar.txt"):
        refusal = await refused(gate.answer(YES, remember=remember(pattern)))
        Bad(RESOLVE, "INVALID_FIELD", b"", {"field": "remember.pattern"}).check(refusal)


async def test_arguments_are_remembered_in_any_order(gate: Gate) -> None:
    """The same JSON passes however it is written; another value is asked about."""
    await kept(gate, mcp(arguments='{"a": 1, "b": [true, null]}'))
    same = await gate.ask(mcp("c2", '{ "b":[true,null],\n"a":1 }'))
    assert decision_of(same) == "APPROVED"
    for number, other in enumerate(
        ('{"a": 1}', '{"a": 2, "b": [true, null]}', '{"a": "1", "b": [true, null]}')
    ):
        assert state_of(await gate.ask(mcp(f"o{number}", other))) in {"ACTIVE", "QUEUED"}


async def test_a_session_is_not_the_workspace(gate: Gate) -> None:
    """SESSION reaches this session, WORKSPACE all, also those that come later."""
    own = await kept(gate, call("make own"))
    shared = await kept(gate, call("make shared", "c2"), remember=remember(scope="WORKSPACE"))
    assert [await asks(gate, "make own", session) for session in ("s", "other")] == [False, True]
    assert [await asks(gate, "make shared", session) for session in ("s", "other")] == [False, False]
    assert await listed(gate, session_id="s") == [own, shared]
    assert await listed(gate, session_id="other") == [shared]
    assert await listed(gate) == [own, shared]


async def test_yes_for_the_session_reaches_no_further(gate: Gate) -> None:
    """With a workspace's scope it is refused by name; with the session's and a pattern it is taken."""
    await gate.ask(call())
    refusal = await refused(gate.answer(FOR_SESSION, remember=remember(scope="WORKSPACE")))
    Bad(RESOLVE, "INVALID_FIELD", b"", {"field": "remember.scope"}).check(refusal)
    assert (await gate.answer(FOR_SESSION, remember=remember("make *"))).remembered.is_pattern
    assert not await asks(gate, "make install")


async def test_a_remembered_no_is_stricter_than_a_yes(gate: Gate) -> None:
    """Where both cover a call the no holds, and whatever may run what was refused is refused, too."""
    no = await kept(gate, call("git push b"), NO)
    yes = await kept(gate, call("git push a", "c2"), remember=remember("git push *"))
    said = {
        command: verdict(await gate.sessions.AuthorizeTool(tool(command=command)))
        for command in ("git push a", "git push b", "make && git push b", "git push c")
    }
    allowed = ("ALLOW", f"remembered:{yes.remembered_id}")
    denied = ("DENY", f"remembered_deny:{no.remembered_id}")
    assert list(said.values()) == [allowed, denied, denied, allowed]


async def test_a_no_that_came_meanwhile_beats_a_yes(gate: Gate) -> None:
    """A person who says yes to what another has refused for the workspace is told the rule's no."""
    await gate.ask(call(session_id="one"))
    await gate.ask(call(session_id="two"))
    prompt = await gate.prompt("two")
    no = (await gate.answer(NO, "one", remember=remember(scope="WORKSPACE"))).remembered
    answer = await gate.approvals.ResolveApproval(resolution(prompt, YES, remember=remember()))
    rule = f"remembered_deny:{no.remembered_id}"
    assert outcome(answer.approval) == ("DECIDED", "DENIED", "AUTO", rule)
    assert not answer.HasField("remembered")
    assert await listed(gate) == [no]


async def test_what_waits_is_answered_by_what_is_remembered(gate: Gate) -> None:
    """Calls in the queue that the new answer covers end with it; the others move up."""
    asked = [call(command, f"c{n}") for n, command in enumerate(["make a", "ls", "make b", "make c"])]
    streams: list[Any] = []
    for each in asked:
        streams.append(gate.approvals.RequestApproval(each))
        await next_of(streams[-1])
    remembered = (await gate.answer(YES, remember=remember("make *"))).remembered
    rule = f"remembered:{remembered.remembered_id}"
    for stream in streams[2:]:
        assert outcome((await rest_of(stream))[-1]) == ("DECIDED", "APPROVED", "AUTO", rule)
    assert standing(await next_of(streams[1])) == ("ACTIVE", 0)
    streams[1].cancel()
    assert (await gate.session()).queue_length == 1


async def test_what_is_remembered_for_a_while_ends_by_itself(gate: Gate, clock: SkippingClock) -> None:
    """After its time it answers nothing and is not listed; a new answer takes its place."""
    await kept(gate, call(), remember=remember(seconds=3600))
    assert not await asks(gate, "make test")
    clock.skip(hours=1)
    assert await asks(gate, "make test")
    assert await listed(gate) == [] == await listed(gate, session_id="s")
    again = await kept(gate, call(call_id="c2"), NO)
    assert await listed(gate) == [again]


async def test_what_is_remembered_survives_a_restart(tmp_path: Path) -> None:
    """The next server answers with it."""
    async with open_gate(tmp_path / "plangate.db") as gate:
        one = await kept(gate, call())
        two = await kept(gate, mcp("c2"), NO, remember=remember("*", "WORKSPACE"))
    async with open_gate(tmp_path / "plangate.db") as gate:
        assert await listed(gate) == [one, two]
        assert decision_of(await gate.ask(call(call_id="c3"))) == "APPROVED"
        assert decision_of(await gate.ask(mcp("c4", "{}", session_id="other"))) == "DENIED"


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
async def test_pages_of_what_is_remembered_fit_together(gate: Gate, size: int) -> None:
    """From token to token each comes once, oldest first; a token is for its filter."""
    every = [await kept(gate, call(f"make {number}", f"c{number}")) for number in range(5)]
    found: list[Remembered] = []
    token = ""
    while not found or token:
        request = ListRememberedRequest(page_size=size, page_token=token)
        page = await gate.approvals.ListRemembered(request)
        assert len(page.remembered) <= size
        found, token = [*found, *page.remembered], page.next_page_token
        if token:
            other = ListRememberedRequest(page_token=token, session_id="s")
            refusal = await refused(gate.approvals.ListRemembered(other))
            assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_PAGE_TOKEN", "page_token")
    assert found == every


async def test_one_is_forgotten(gate: Gate) -> None:
    """It is given back, answers nothing any more, and cannot be forgotten twice; others stay."""
    one, two = await kept(gate, call("make one")), await kept(gate, call("make two", "c2"))
    assert await forget(gate, one.remembered_id) == one
    assert await asks(gate, "make one")
    assert not await asks(gate, "make two")
    assert await listed(gate) == [two]
    refusal = await refused(forget(gate, one.remembered_id))
    told = {"field": "remembered_id", "remembered_id": one.remembered_id}
    Bad(FORGET, "REMEMBERED_NOT_FOUND", b"", told).check(refusal)


async def test_a_repeated_forget_is_answered_as_it_was(gate: Gate) -> None:
    """The same request_id gives what was forgotten."""
    one = await kept(gate, call())
    assert await forget(gate, one.remembered_id, request_id="r1") == one
    assert await forget(gate, one.remembered_id, request_id="r1") == one
    refusal = await refused(forget(gate, "other", request_id="r1"))
    Bad(FORGET, "REQUEST_ID_REUSED", b"", {"request_id": "r1"}).check(refusal)


async def fill(gate: Gate) -> None:
    """Two for the session, one for another, one for all."""
    await kept(gate, call("make 1", "c1"))
    await kept(gate, call("make 2", "c2"), NO)
    await kept(gate, call("make 3", "c3", session_id="other"))
    await kept(gate, call("make 4", "c4"), remember=remember(scope="WORKSPACE"))


async def test_a_restarted_session_forgets_its_own(gate: Gate) -> None:
    """What was remembered for it is gone and counted; what reaches others stays."""
    await fill(gate)
    assert await reset(gate, RESTART, "s") == 2
    assert [each.signature for each in await listed(gate)] == ["make 3", "make 4"]
    assert [await asks(gate, f"make {number}") for number in (1, 2, 4)] == [True, True, False]
    assert await reset(gate, RESTART, "s") == 0


async def test_another_workspace_forgets_everything(gate: Gate) -> None:
    """All scopes of all sessions."""
    await fill(gate)
    assert await reset(gate, OTHER_WORKSPACE) == 4
    assert await listed(gate) == []
    assert await asks(gate, "make 3", "other")
    assert await reset(gate, OTHER_WORKSPACE) == 0


async def test_a_reset_ends_no_call(gate: Gate) -> None:
    """What waits goes on waiting, with the same prompt."""
    await fill(gate)
    await gate.ask(call("make more", "c5"))
    prompt = await gate.prompt()
    await reset(gate, RESTART, "s")
    await reset(gate, OTHER_WORKSPACE)
    assert await gate.prompt() == prompt


async def test_a_reset_needs_its_kind_and_its_session(gate: Gate) -> None:
    """Without a kind or, for a restart, a session that is there, it is refused and forgets nothing."""
    await fill(gate)
    refusal = await refused(reset(gate, 0, "s"))
    Bad(RESET, "MISSING_FIELD", b"", {"field": "kind"}).check(refusal)
    refusal = await refused(reset(gate, RESTART))
    Bad(RESET, "MISSING_FIELD", b"", {"field": "session_id"}).check(refusal)
    refusal = await refused(reset(gate, RESTART, "none"))
    Bad(RESET, "SESSION_NOT_FOUND", b"", {"field": "session_id", "session_id": "none"}).check(refusal)
    assert len(await listed(gate)) == 4


async def test_a_repeated_reset_is_one(gate: Gate) -> None:
    """The same request_id gives the first count and leaves alone what was remembered since."""
    await fill(gate)
    assert await reset(gate, RESTART, "s", request_id="r1") == 2
    await kept(gate, call("make 5", "c5"))
    assert await reset(gate, RESTART, "s", request_id="r1") == 2
    assert not await asks(gate, "make 5")
    refusal = await refused(reset(gate, OTHER_WORKSPACE, request_id="r1"))
    Bad(RESET, "REQUEST_ID_REUSED", b"", {"request_id": "r1"}).check(refusal)


async def test_a_mode_forgets_nothing(gate: Gate) -> None:
    """After plan mode and back, what was remembered answers again."""
    await kept(gate, call())
    for mode, passes in ((PLAN, False), (AGENT, True)):
        await gate.sessions.SetMode(SetModeRequest(session_id="s", mode=mode))
        told = await gate.sessions.AuthorizeTool(tool(command="make test"))
        assert (verdict(told)[0] == "ALLOW") == passes


async def test_so_many_are_remembered_and_no_more(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit, remembering is refused by its name and the prompt stays; forgetting makes room."""
    monkeypatch.setattr(limits, "REMEMBERED", 3)
    kept_ids = [(await kept(gate, call(f"make {n}", f"c{n}"))).remembered_id for n in range(3)]
    await gate.ask(call(call_id="more"))
    refusal = await refused(gate.answer(FOR_SESSION))
    Bad(RESOLVE, "LIMIT_EXCEEDED", b"", over("remembered", 3, "remember")).check(refusal)
    await forget(gate, kept_ids[0])
    assert (await gate.answer(FOR_SESSION)).HasField("remembered")
