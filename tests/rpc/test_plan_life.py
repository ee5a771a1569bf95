"""An agent proposes a plan: it is stored whole, in review, and answered at once."""

from plangate_proto.agent.v1 import plan_resource_pb2, plan_service_pb2, review_resource_pb2
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, CreatePlanRequestQuery
from plangate_proto.agent.v1.todo_tools_pb2 import TODO_STATUS_COMPLETED, TODO_STATUS_PENDING, TodoItem
from tests.helpers.gate import Gate, proposal
from tests.helpers.plans import filled_request
from tests.helpers.raw_calls import raw_call
from tests.helpers.refusals import refused
from tests.helpers.tokens import ADMIN
from tests.rpc.bad_requests import GET, Bad


def without_progress(todo: TodoItem) -> TodoItem:
    return TodoItem(id=todo.id, content=todo.content, dependencies=todo.dependencies)


async def test_a_plan_comes_back_whole(gate: Gate) -> None:
    """Everything that the agent says of its plan is in the plan as stored."""
    request = filled_request()
    plan = await gate.propose(request)
    assert (plan.name, plan.overview, plan.plan) == ("Cellar", "Two afternoons", request.args.plan)
    assert (plan.is_project, plan.is_spec) == (True, True)
    assert (plan.session_id, plan.created_by, plan.tool_call_id) == ("session-1", "agent-1", "call-1")
    assert plan.todo_hints == request.todo_hints
    assert [without_progress(todo) for todo in plan.todos] == list(request.args.todos)
    assert [phase.name for phase in plan.phases] == ["Before the rain", "After it"]
    assert [list(phase.todos) for phase in plan.phases] == [[plan.todos[0]], [plan.todos[1]]]


async def test_a_new_plan_is_in_review(gate: Gate) -> None:
    """CreatePlan answers at once with the first revision and the open question about it."""
    response = await gate.agent.CreatePlan(filled_request())
    plan, review = response.plan, response.plan.review
    assert response.result.WhichOneof("result") == "success"
    assert response.result.plan_uri == plan.plan_uri == f"plangate://plans/{plan.plan_id}"
    assert response.reviewers_watching == 0
    assert plan.state == plan_resource_pb2.PLAN_STATE_IN_REVIEW
    assert plan.progress == plan_resource_pb2.PLAN_PROGRESS_PENDING
    assert plan.revision == 1
    assert (review.plan_uri, review.revision, review.digest) == (plan.plan_uri, 1, plan.digest)
    assert review.status == review_resource_pb2.REVIEW_STATUS_REQUESTED
    assert review.outcome == review_resource_pb2.REVIEW_OUTCOME_UNSPECIFIED
    assert review.required_approvals == 1
    assert not review.decisions


async def test_a_new_plan_has_names_times_and_authors(gate: Gate) -> None:
    """The fields that the server fills are there from the first answer on."""
    plan = await gate.propose(filled_request())
    assert plan.file_name == f"cellar_{plan.plan_id[-8:]}.plan.md"
    assert len(plan.digest) == 64
    assert plan.review.approval_request_id
    assert (list(plan.edited_by), list(plan.referenced_by)) == (["agent-1"], ["agent-1"])
    assert not plan.built_by
    assert plan.create_time == plan.update_time == plan.review.request_time


async def test_todos_start_pending(gate: Gate) -> None:
    """Whatever status and times a todo was sent with, nobody has begun it and it was made now."""
    done = TodoItem(id="a", content="A", status=TODO_STATUS_COMPLETED, created_at=1, updated_at=2)
    args = CreatePlanArgs(plan="# Plan", todos=[done])
    plan = await gate.propose(plan_service_pb2.CreatePlanRequest(args=args))
    made = plan.create_time.ToMilliseconds()
    todo = plan.todos[0]
    assert (todo.status, todo.created_at, todo.updated_at) == (TODO_STATUS_PENDING, made, made)


async def test_what_was_stored_is_what_is_read(gate: Gate) -> None:
    """GetPlan gives what CreatePlan gave, as the head and as revision 1."""
    plan = await gate.propose(filled_request())
    first = plan_service_pb2.GetPlanRequest(plan_uri=plan.plan_uri, revision=1)
    assert await gate.get(plan.plan_uri) == plan
    assert (await gate.agent.GetPlan(first)).plan == plan


async def test_a_revision_that_is_not_there_is_named(gate: Gate) -> None:
    """GetPlan of a later revision than the head is refused with both names."""
    plan = await gate.propose()
    for revision in (2, 2**62):
        request = plan_service_pb2.GetPlanRequest(plan_uri=plan.plan_uri, revision=revision)
        told = {"field": "revision", "plan_uri": plan.plan_uri, "revision": str(revision)}
        bad = Bad(GET, "REVISION_NOT_FOUND", request, told)
        bad.check(await refused(gate.agent.GetPlan(request)))


async def test_what_is_left_out_is_filled_in(gate: Gate) -> None:
    """A bare plan gets its name from its heading, its author from the caller, ids for its todos."""
    todos = [TodoItem(content="one"), TodoItem(content="two")]
    args = CreatePlanArgs(plan="Intro\n\n## Tidy up ##\n", todos=todos)
    plan = await gate.propose(plan_service_pb2.CreatePlanRequest(args=args))
    assert (plan.name, plan.created_by, plan.session_id) == ("Tidy up", ADMIN, "")
    assert [todo.id for todo in plan.todos] == ["todo-1", "todo-2"]


async def test_a_query_of_the_original_is_taken_as_it_is(gate: Gate) -> None:
    """The bytes of a CreatePlanRequestQuery, sent to CreatePlan, store its plan."""
    query = CreatePlanRequestQuery(args=filled_request().args, tool_call_id="call-9")
    answers = await raw_call(gate.channel, "/agent.v1.PlanService/CreatePlan", query.SerializeToString())
    plan = plan_service_pb2.CreatePlanResponse.FromString(answers[0]).plan
    assert (plan.plan, plan.tool_call_id) == (query.args.plan, "call-9")
    assert await gate.plans() == [plan]


async def test_equal_content_has_equal_digests(gate: Gate) -> None:
    """The digest covers the content: not who proposed it, not the hints, not the conversation."""
    filled = filled_request()
    bare = plan_service_pb2.CreatePlanRequest(args=filled.args, is_spec=True)
    one, other = await gate.propose(filled), await gate.propose(bare)
    different = await gate.propose(proposal("# Tidy the attic"))
    assert one.plan_uri != other.plan_uri
    assert one.digest == other.digest != different.digest
