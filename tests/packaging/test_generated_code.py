"""The committed output of tools/generate_protos.py."""

import importlib
import pickle
import pkgutil

import plangate_proto
from plangate_proto.agent.v1 import todo_tools_pb2


def test_every_generated_module_loads() -> None:
    """Each generated module imports on the installed runtime, and only below plangate_proto."""
    modules = [m.name for m in pkgutil.walk_packages(plangate_proto.__path__, "plangate_proto.")]
    for name in modules:
        importlib.import_module(name)
    assert "plangate_proto.agent.v1.plan_service_pb2_grpc" in modules


def test_messages_can_be_pickled() -> None:
    """A message survives pickling, which finds its class by module name."""
    item = todo_tools_pb2.TodoItem(id="a", content="write it", dependencies=["b"])
    assert pickle.loads(pickle.dumps(item)) == item
