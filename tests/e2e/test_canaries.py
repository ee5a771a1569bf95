"""Secrets and what callers write, planted everywhere, come out of a server only where they are meant to."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from plangate_proto.agent.v1 import access_token_service_pb2 as token_pb
from plangate_proto.agent.v1 import plan_service_pb2 as plan_pb
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from plangate_proto.aiserver.v1.plan_review_service_pb2 import AddCommentRequest
from tests.e2e.processes import ServerProcess, run, serving
from tests.helpers.canaries import Canaries
from tests.helpers.certificates import Certificates, Pair
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.oidc import CLAIMS, jwks, rsa_signer
from tests.helpers.refusals import refused
from tests.helpers.scraping import ask
from tests.helpers.tokens import local_token
from tests.helpers.tool_calls import NO, call, tool

DEBUG = ("--log-level", "debug")
ANYWHERE = ("--listen", "127.0.0.1:0")
FAULTY = """
import asyncio, logging, sys, threading, warnings
from plangate_server.rpc import plan_servicer, review_servicer
from plangate_server.__main__ import main

SECRET = {secret!r}

def fail(*_):
    raise ConnectionError(f"cannot reach postgresql://gate:{{SECRET}}@db.example.com/plans")

async def fail_everywhere(*_, **__):
    asyncio.get_running_loop().call_soon(fail)
    thread = threading.Thread(target=fail, name=SECRET)
    thread.start()
    thread.join()
    warnings.warn(SECRET)
    logging.getLogger("library").error("it worked with %s", SECRET, exc_info=ValueError(SECRET))
    try:
        fail()
    except ConnectionError as error:
        raise RuntimeError(SECRET) from error

plan_servicer.list_plans = fail_everywhere
review_servicer.submit_review = fail_everywhere
sys.exit(main())
"""


@pytest.fixture
def canaries() -> Canaries:
    return Canaries()


async def ended(server: ServerProcess, canaries: Canaries) -> str:
    """Stop it, and look at all that came out; gives its log."""
    canaries.look_at((await ask(server.web, "/metrics")).text, (await ask(server.web, "/healthz")).text)
    exited = await server.exit(signal.SIGTERM)
    assert exited.code == 0
    canaries.look_at(server.welcome, exited.output, exited.errors)
    assert canaries.escaped() == []
    return exited.errors


async def refuse(call: Awaitable[Any], canaries: Canaries) -> str:
    """The reason of a refusal, of which everything that reaches the caller is looked at."""
    refusal = await refused(call)
    canaries.look_at(refusal.text)
    return refusal.reason or refusal.status


async def list_with(address: str, token: str) -> None:
    async with connected(address, token=token) as gate:
        await gate.plans()


async def test_tokens(tmp_path: Path, canaries: Canaries) -> None:
    """Good, wrong, unknown, revoked and misshapen ones; only CreateToken's answer has a secret, once."""
    async with serving(tmp_path / "plangate.db", *DEBUG) as server, connected(server.address) as gate:
        *prefix, secret = local_token("admin").split("_")
        canaries.know("a good token", secret)
        other = canaries.know("a wrong secret", secret[::-1])
        made = await gate.tokens.CreateToken(
            token_pb.CreateTokenRequest(name="bob", person="bob", role=token_pb.ROLE_AGENT)
        )
        canaries.know("a new token", made.secret.split("_")[2])
        await list_with(server.address, made.secret)
        listed = await gate.tokens.ListTokens(token_pb.ListTokensRequest())
        canaries.look_at(str(listed), str(made.token))
        await gate.tokens.RevokeToken(token_pb.RevokeTokenRequest(token_id=made.token.token_id))
        unknown = canaries.know("an unknown token", "0123456789abcdef" * 2)
        for token in (
            made.secret,
            "_".join([*prefix, other]),
            f"plangate_{unknown}_{unknown}",
            canaries.plant("no token of ours"),
            f"e30.{canaries.know('no JWT', 'c4n4ry-0123456789')}.e30",
        ):
            assert await refuse(list_with(server.address, token), canaries) == "INVALID_CREDENTIALS"
        basic = (("authorization", f"Basic {canaries.plant('another scheme')}"),)
        async with connected(server.address, token="") as nobody:
            call = nobody.agent.ListPlans(plan_pb.ListPlansRequest(), metadata=basic)
            assert await refuse(call, canaries) == "INVALID_CREDENTIALS"
        await ended(server, canaries)


async def test_what_callers_write(tmp_path: Path, canaries: Canaries) -> None:
    """Plans, todos, words, commands, paths, names and metadata, in calls that are answered and refused."""
    policy = tmp_path / "policy.yaml"
    pattern = canaries.know("a word of the policy", "yellow-bird-in-a-mine")
    rule = {"name": "never", "commands": [f"{pattern} **"]}
    policy.write_text(json.dumps({"deny": [rule]}), encoding="utf-8")
    plant = canaries.plant
    async with (
        serving(tmp_path / "plangate.db", *DEBUG, "--policy", str(policy)) as server,
        connected(server.address) as gate,
    ):
        server.process.send_signal(signal.SIGHUP)
        await write_everything(gate, canaries)
        await gate.sessions.AuthorizeTool(tool(command=f"{pattern} now", agent_id=plant("an agent")))
        arguments = {"path": plant("a path"), "content": plant("a file")}
        asked = tool("write_file", arguments=arguments, session_id=plant("a session"))
        await gate.sessions.AuthorizeTool(asked)
        for request in (
            plan_pb.CreatePlanRequest(),
            plan_pb.CreatePlanRequest(args=twice(plant("a todo"), plant("another plan"))),
        ):
            assert await refuse(gate.propose(request), canaries)
        unknown = plan_pb.ListPlansRequest(page_token=plant("a page token"))
        metadata = (("x-other", plant("metadata")),)
        assert await refuse(gate.agent.ListPlans(unknown, metadata=metadata), canaries)
        await refused(gate.get(f"plangate://plans/{plant('a URI')}"))  # which tells its caller what it asked
        log = await ended(server, canaries)
    assert "policy_read" in log


def twice(todo: str, text: str) -> CreatePlanArgs:
    """A plan that is refused for its todos."""
    return CreatePlanArgs(plan=text, todos=[TodoItem(id="same", content=todo)] * 2)


async def write_everything(gate: Gate, canaries: Canaries) -> None:
    plant = canaries.plant
    args = CreatePlanArgs(
        plan=plant("a plan"),
        name=plant("a name"),
        overview=plant("an overview"),
        todos=[TodoItem(id="a", content=plant("what is to do"))],
    )
    request = plan_pb.CreatePlanRequest(
        args=args, agent_id=plant("the agent"), request_id=plant("a request_id")
    )
    plan = await gate.propose(request)
    comment = AddCommentRequest(plan_uri=plan.plan_uri, revision=1, text=plant("a comment"))
    await gate.reviews.AddComment(comment)
    assert await refuse(gate.decide(plan, "maybe", feedback=plant("useless feedback")), canaries)
    await gate.decide(plan, "reject", feedback=plant("feedback"))
    assert await refuse(gate.decide(plan, "approve", feedback=plant("late feedback")), canaries)
    await gate.ask(call(f"echo {plant('a command')}", metadata={"note": plant("a note")}))
    await gate.answer(NO, feedback_text=plant("a no"))


async def test_faults(tmp_path: Path, canaries: Canaries) -> None:
    """Whatever breaks where, in a call, a thread or the loop, its words go nowhere."""
    program = ("-c", FAULTY.format(secret=canaries.plant("the words of faults")))
    async with (
        serving(tmp_path / "plangate.db", *DEBUG, program=program) as server,
        connected(server.address) as gate,
    ):
        plan = await gate.propose()
        assert await refuse(gate.plans(), canaries) == "INTERNAL"
        assert await refuse(gate.decide(plan, "approve"), canaries) == "INTERNAL"
        log = await ended(server, canaries)
    for event in ("fault", "stray_fault", "library", "python_warning"):
        assert f'"event":"{event}"' in log


async def test_the_password_of_the_database(postgres_url: str, canaries: Canaries) -> None:
    """Of one that can be used, one that cannot be reached, and one that is only printed."""
    password = canaries.know("the password", "c4n4ry0123456789")
    url = postgres_url.replace("plangate@", f"plangate:{password}@")
    async with serving(url, *DEBUG) as server, connected(server.address) as gate:
        await gate.propose()
        await ended(server, canaries)
    away = f"postgresql://gate:{password}@127.0.0.1:1/plans?sslpassword={password}"
    hopeless = f"postgresql://gate:{password}@[::1/plans"
    for arguments in (
        ("--database", away),
        ("--database", hopeless),
        ("--database", f"mysql://gate:{password}@db.example.com/plans"),
        ("--database", url, "--print-config"),
        ("--database", hopeless, "--print-config"),
    ):
        exited = await run(*ANYWHERE, *arguments)
        canaries.look_at(exited.output, exited.errors)
        assert exited.code == (0 if arguments[-1] == "--print-config" else exited.code or 1)
    assert canaries.escaped() == []


async def test_the_key_of_tls(tmp_path: Path, certificates: Certificates, canaries: Canaries) -> None:
    """Of a key that is used, one that replaces it, and one that is broken."""
    place = Pair(tmp_path / "server.pem", tmp_path / "server.key")
    certificates.server.put(place)
    for number, line in enumerate(certificates.server.key.read_text().splitlines()[1:-2]):
        canaries.know(f"line {number} of the key", line)
    broken = f"-----BEGIN PRIVATE KEY-----\n{canaries.plant('no key')}\n-----END PRIVATE KEY-----\n"
    options = (*DEBUG, "--tls-cert", str(place.cert), "--tls-key", str(place.key))
    async with serving(tmp_path / "plangate.db", *options) as server:
        place.key.write_text(broken, encoding="utf-8")
        server.process.send_signal(signal.SIGHUP)
        assert server.process.stderr
        async with asyncio.timeout(PATIENCE):
            while '"event":"tls_kept"' not in (line := (await server.process.stderr.readline()).decode()):
                canaries.look_at(line)
        canaries.look_at(line)
        await ended(server, canaries)
    exited = await run(*ANYWHERE, "--database", f"sqlite:///{tmp_path / 'other.db'}", *options)
    assert exited.code == 1
    canaries.look_at(exited.output, exited.errors)
    assert canaries.escaped() == []


async def test_tokens_of_a_provider(tmp_path: Path, canaries: Canaries) -> None:
    """A good one, one that somebody else signed, and one that is for somebody else."""
    signer, stranger = rsa_signer(), rsa_signer("stranger")
    (tmp_path / "keys.json").write_bytes(jwks(signer))
    rules = tmp_path / "oidc.yaml"
    role = "{claim: groups, has: reviewers, role: reviewer}"
    rules.write_text(
        f"issuer: {CLAIMS['iss']}\naudience: plangate\njwks: keys.json\nroles: [{role}]\n", encoding="utf-8"
    )
    now = time.time()
    claims = {**CLAIMS, "iat": now - 60, "exp": now + 600, "note": canaries.plant("a claim")}
    wrong = {**claims, "aud": canaries.plant("an audience")}
    async with serving(tmp_path / "plangate.db", *DEBUG, "--oidc", str(rules)) as server:
        for name, token in (
            ("good", signer.token(claims)),
            ("of a stranger", stranger.token(claims)),
            ("for others", signer.token(wrong)),
        ):
            for part, text in zip(("payload", "signature"), token.split(".")[1:], strict=True):
                canaries.know(f"the {part} of one {name}", text)
            if name == "good":
                await list_with(server.address, token)
            else:
                assert await refuse(list_with(server.address, token), canaries) == "INVALID_CREDENTIALS"
        await ended(server, canaries)
