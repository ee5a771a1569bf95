"""``plangate build start``: an agent takes todos."""

from __future__ import annotations

import sys
from argparse import Namespace

from plangate._client import Build, Client
from plangate._common.text_safety import visible, written_out
from plangate.cli._finding import find_plan
from plangate.cli._gate import gate
from plangate.cli._json import print_json
from plangate_proto.agent.v1.plan_service_pb2 import BuildTodosResponse


def run(given: Namespace) -> int:
    with gate(given) as client:
        build = begin(client, given)
    if given.json:
        print_json(_message(build))
        return 0
    # Apart from the prompt, so that a script can pass that on and nothing else.
    print(
        f"build {build.build_id} of revision {build.revision}",
        file=sys.stderr if given.prompt else sys.stdout,
    )
    if given.prompt:
        print(*map(written_out, build.prompt.split("\n")), sep="\n")
        return 0
    contents = {todo.id: todo.content for todo in build.todos}
    for number, wave in enumerate(build.waves, start=1):
        print(f"wave {number}")
        print(*(f"  [{visible(todo_id)}] {visible(contents[todo_id])}" for todo_id in wave), sep="\n")
    print(f"the todos go back if nobody is heard from until {build.lease_expire_time:%Y-%m-%d %H:%M:%S}Z")
    return 0


def begin(client: Client, given: Namespace) -> Build:
    """The build that the arguments ask for, of the plan as it is now."""
    plan = find_plan(client, given.plan)
    return client.build(plan, agent_id=given.agent, todo_ids=given.todo, lease=given.lease)


def _message(build: Build) -> BuildTodosResponse:
    message = BuildTodosResponse(
        build_id=build.build_id,
        todos=build.todos,
        waves=[BuildTodosResponse.Wave(todo_ids=wave) for wave in build.waves],
        prompt=build.prompt,
        revision=build.revision,
        digest=build.digest,
    )
    message.lease_expire_time.FromDatetime(build.lease_expire_time)
    return message
