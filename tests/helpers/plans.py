"""Plans that tests propose."""

from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import TodoHint
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem


def filled_request() -> CreatePlanRequest:
    """A plan with something in every field that this version takes, two todos and a hint for each."""
    sort = TodoItem(id="sort", content="Sort the boxes")
    sweep = TodoItem(id="sweep", content="Sweep the floor", dependencies=["sort"])
    return CreatePlanRequest(
        args=CreatePlanArgs(
            plan="# Tidy the cellar\n\nGrüße, 世界",
            name="Cellar",
            overview="Two afternoons",
            todos=[sort, sweep],
            is_project=True,
            phases=[Phase(name="Before the rain", todos=[sort]), Phase(name="After it", todos=[sweep])],
        ),
        tool_call_id="call-1",
        session_id="session-1",
        agent_id="agent-1",
        is_spec=True,
        todo_hints={
            "sort": TodoHint(agent="helper", estimated_time=Duration(seconds=90)),
            "sweep": TodoHint(estimated_time=Duration(seconds=30, nanos=500_000_000)),
        },
    )
