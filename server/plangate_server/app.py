"""The one place that wires things: store, hub, clock, ids and the servers."""

from __future__ import annotations

import asyncio
import gc
import signal
import ssl
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import Final

from plangate_server.companions import accompanied, companions
from plangate_server.domain.identity import Role
from plangate_server.housekeeping import keep_house
from plangate_server.identity import Keyring, local_credentials, local_token, observer
from plangate_server.logs import Log, log_stray_faults
from plangate_server.metrics import Metrics, table
from plangate_server.oidc import open_oidc
from plangate_server.policyfile import PolicyBook
from plangate_server.ports import Store, World
from plangate_server.pulse import Pulse
from plangate_server.rpc.calls import CallLog, Write
from plangate_server.rpc.server import RpcServer
from plangate_server.settings import UNIX, Settings, stays_here
from plangate_server.storage.hub import Hub
from plangate_server.storage.schema import CannotOpen
from plangate_server.storage.sqlite import open_sqlite
from plangate_server.system import SystemClock, TimeOrderedIds
from plangate_server.tls import BrowserTls, Certificates, TlsFiles
from plangate_server.traces import open_traces
from plangate_server.web.app import Behind, web_app
from plangate_server.web.invitations import Invitation
from plangate_server.web.server import web_server
from plangate_server.welcome import Addresses, welcome
from plangate_server.workers import WorkerThreads

tell = Log(__name__)

GRACE_SECONDS: Final = 10.0
COLLECT: Final = (20_000, 20, 50)


@asynccontextmanager
async def running(
    settings: Settings,
    policies: PolicyBook | None = None,
    write_line: Write | None = None,
    certificates: Certificates | None = None,
) -> AsyncIterator[Addresses]:
    """The gate, open; gives the addresses it listens on. Closing it lets running calls finish.

    Lines about calls go to ``write_line``, if there is one.
    """
    policies = policies or PolicyBook(settings.policy)
    certificates = certificates or _certificates(settings)
    hub, clock, metrics = Hub(), SystemClock(), Metrics()
    metrics.read(table.STREAM_QUEUE_LENGTH, hub.longest_queue)
    local = local_credentials(settings.token_dir, clock.now())
    watching, observer_token = observer(settings.approved_workspace, clock.now())
    if settings.approved_to is not None:
        local.append(watching)
    provider = await asyncio.to_thread(open_oidc, settings.oidc) if settings.oidc else None
    async with AsyncExitStack() as opened:
        store = await opened.enter_async_context(_open_store(settings, hub, metrics))
        keyring = Keyring(store, clock, local, provider.caller if provider else None)
        await keyring.refresh()
        workers = WorkerThreads()
        opened.callback(workers.abandon)
        world = World(store, hub, clock, TimeOrderedIds(), policies, keyring, settings.limits, workers)
        traces = await opened.enter_async_context(open_traces(settings.traces))
        server = RpcServer(world, CallLog(write_line, settings.log_level, metrics, traces))
        # Opened before gRPC and closed after it: it says that the gate does not serve yet, or any more.
        invitation = Invitation(local_token(settings.token_dir, Role.REVIEWER))
        behind = Behind(
            server.inside, metrics, store, lambda: server.health.serving, settings.limits.message_bytes
        )
        tls = None if stays_here(settings.web_listen) else _browser_tls(certificates)
        web = web_server(web_app(behind, invitation), settings.web_listen, tls)
        web_address = await opened.enter_async_context(web)
        pulse = Pulse(store, server.health.tell)
        await pulse.beat()
        port = await server.start(settings.listen, certificates)
        always = (pulse.keep(), keep_house(world, settings.keep_events))
        chores = [asyncio.create_task(each) for each in always]
        address = _address(settings.listen, port)
        try:
            async with accompanied(companions(settings, observer_token), address):
                page = f"{'https' if tls else 'http'}://{web_address}/#code={invitation.code}"
                yield Addresses(address, web_address, page)
        finally:
            server.health.drain()
            hub.close()
            workers.close()
            await server.stop(GRACE_SECONDS)
            for chore in chores:
                chore.cancel()
            await asyncio.wait(chores)


def _address(listen: str, port: int) -> str:
    return listen if listen.startswith(UNIX) else f"{listen.rpartition(':')[0]}:{port}"


def _certificates(settings: Settings) -> Certificates | None:
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    return Certificates(TlsFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca))


def _browser_tls(certificates: Certificates | None) -> ssl.SSLContext:
    assert certificates is not None, "the settings were checked"
    return BrowserTls(certificates).context


def _open_store(settings: Settings, hub: Hub, metrics: Metrics) -> AbstractAsyncContextManager[Store]:
    if settings.sqlite_path is not None:
        return open_sqlite(settings.sqlite_path, hub, metrics)
    try:
        postgres = import_module("plangate_server.storage.postgres")
    except ModuleNotFoundError as missing:
        raise CannotOpen("PostgreSQL needs its driver: pip install 'plangate[postgres]'") from missing
    store: AbstractAsyncContextManager[Store] = postgres.open_postgres(settings.database, hub, metrics)
    return store


async def serve(settings: Settings, write_line: Write) -> None:
    """Serve until SIGINT or SIGTERM; SIGHUP reads the policy file again, and renewed certificates."""
    policies = PolicyBook(settings.policy)
    certificates = _certificates(settings)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    log_stray_faults(loop)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    # In a thread: a large file takes seconds to read, in which others want answers.
    loop.add_signal_handler(signal.SIGHUP, loop.run_in_executor, None, _read_again, policies, certificates)
    async with running(settings, policies, write_line, certificates) as addresses:
        _spare_the_collector()
        print(welcome(settings, addresses, certificates), flush=True)
        where = {"listen": addresses.grpc, "web_listen": addresses.web}
        tell.info("started", "the gate is open", **where, database=settings.shown_database)
        await stop.wait()
        tell.info("stopping", "running calls finish")
        print("plangate: stopping", flush=True)


def _read_again(policies: PolicyBook, certificates: Certificates | None) -> None:
    policies.reload()
    if certificates is not None:
        certificates.look()


def _spare_the_collector() -> None:
    """What is there by now stays, and what calls make holds no circles: look for those only now and then."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)
