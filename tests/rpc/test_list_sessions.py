"""ListSessions: what every session is doing, those that began last first."""

from plangate_proto.agent.v1.agent_session_service_pb2 import ListSessionsRequest, SetModeRequest
from tests.helpers.gate import Gate, proposal
from tests.helpers.refusals import refused
from tests.helpers.tool_calls import PLAN, YES, call, tool
from tests.rpc.bad_requests import Bad

LIST = "/agent.v1.SessionService/ListSessions"


async def test_nothing_is_listed_before_anything_began(gate: Gate) -> None:
    """A question about a tool is no session."""
    await gate.sessions.AuthorizeTool(tool())
    response = await gate.sessions.ListSessions(ListSessionsRequest())
    assert (len(response.sessions), response.next_page_token) == (0, "")


async def test_sessions_are_listed_as_they_are(gate: Gate) -> None:
    """Each is what GetSession says of it, with the last tool call that was answered."""
    await gate.propose(proposal(session_id="older"))
    await gate.ask(call(session_id="newer"))
    await gate.answer(YES, "newer")
    listed = (await gate.sessions.ListSessions(ListSessionsRequest())).sessions
    assert list(listed) == [await gate.session("newer"), await gate.session("older")]
    assert listed[0].last_decision.command == call().command


async def test_modes_and_pages(gate: Gate) -> None:
    """Pages lead through the sessions of the modes, and through no others."""
    for name in ("a", "b", "c"):
        await gate.propose(proposal(session_id=f"other {name}"))
        await gate.sessions.SetMode(SetModeRequest(session_id=name, mode=PLAN))
    first = await gate.sessions.ListSessions(ListSessionsRequest(modes=[PLAN], page_size=2))
    assert [each.session_id for each in first.sessions] == ["c", "b"]
    following = ListSessionsRequest(modes=[PLAN], page_size=2, page_token=first.next_page_token)
    second = await gate.sessions.ListSessions(following)
    assert ([each.session_id for each in second.sessions], second.next_page_token) == (["a"], "")


async def test_a_mode_that_is_none_is_refused(gate: Gate) -> None:
    """Also the one that stands for nothing: the refusal says which."""
    for number in (0, 99):
        request = ListSessionsRequest(modes=[PLAN, number])  # type: ignore[list-item]
        refusal = await refused(gate.sessions.ListSessions(request))
        Bad(LIST, "INVALID_FIELD", b"", {"field": "modes[1]"}).check(refusal)
