"""The supervisor's configuration: complete, safe against odd paths, nothing that listens."""

from __future__ import annotations

import configparser
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from supervisor.options import ServerOptions

from memory_appliance.launch.layout import Layout
from memory_appliance.launch.programs import Program, programs, supervisor_config
from memory_appliance.launch.uv import ROOT

ODD = Path("/srv/50% of 记忆 folder")


def table(data_dir: Path = Path("/srv/data"), *, own_broker: bool = True) -> list[Program]:
    return programs(Layout(data_dir, "127.0.0.1", 8765), own_broker=own_broker, web_workers=2, web_threads=2)


def test_the_bundled_broker_is_left_out_when_there_is_another() -> None:
    names = {program.name for program in table()}
    assert names - {program.name for program in table(own_broker=False)} == {"broker"}


def test_the_broker_opens_no_port_and_writes_no_file() -> None:
    command = shlex.join(table()[0].command)
    assert "--port 0" in command
    assert "--save ''" in command
    assert "--appendonly no" in command


def test_the_supervisor_reads_odd_paths_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout(tmp_path / ODD.name, "127.0.0.1", 8765)
    layout.log_dir.mkdir(parents=True)
    layout.run_dir.mkdir()
    file = tmp_path / "supervisord.conf"
    file.write_text(supervisor_config(layout, table(layout.local_dir)))
    monkeypatch.chdir(layout.local_dir)
    options = ServerOptions()
    options.realize(args=["--configuration", str(file)], doc="")
    commands = {
        process.name: process.command for group in options.process_group_configs for process in group.process_configs
    }
    assert shlex.split(commands["models"])[-1] == str(layout.local_dir)
    assert set(commands) == {program.name for program in table()}


def test_nothing_listens_for_commands() -> None:
    config = configparser.RawConfigParser()
    config.read_string(supervisor_config(Layout(Path("/srv"), "127.0.0.1", 1), table()))
    assert not {"unix_http_server", "inet_http_server", "rpcinterface:supervisor"} & set(config.sections())


def test_the_set_up_of_models_runs_once_and_the_rest_is_restarted() -> None:
    config = configparser.RawConfigParser()
    config.read_string(supervisor_config(Layout(Path("/srv"), "127.0.0.1", 1), table()))
    restarted = {name for name in config.sections() if config.get(name, "autorestart", fallback="") == "true"}
    assert {f"program:{program.name}" for program in table()} - restarted == {"program:setup-models"}


def test_model_workers_run_when_they_are_wanted() -> None:
    layout = Layout(Path("/srv"), "127.0.0.1", 1)
    wanted = programs(layout, own_broker=True, web_workers=1, web_threads=1, model_workers=2)
    commands = [shlex.join(program.command) for program in wanted if program.name.startswith("model-worker")]
    assert [f"--hostname model-worker-{number}@%h" in command for number, command in enumerate(commands)] == [True] * 2
    assert all("--queues rerank,generate" in command for command in commands)


def test_the_chat_proxy_runs_where_it_is_wanted_and_holds_no_django() -> None:
    layout = Layout(Path("/srv"), "::1", 1)
    wanted = programs(layout, own_broker=True, web_workers=1, web_threads=1, chat_proxy_port=8766)
    assert {program.name for program in wanted} - {program.name for program in table()} == {"chat-proxy"}
    assert "--host ::1 --port 8766" in next(shlex.join(one.command) for one in wanted if one.name == "chat-proxy")
    code = "import sys, memory_appliance.chat_proxy.app; assert not {'django', 'celery', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_the_launcher_needs_no_settings() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    code = "import memory_appliance.launch.__main__, memory_appliance.launch.one"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
