"""docker-compose.yml names the programs of the launcher's own table, asks each whether it is well, and confines all."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from memory_appliance.launch.layout import Layout
from memory_appliance.launch.programs import programs

ROOT = Path(__file__).resolve().parents[3]
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
OURS = {name: service for name, service in SERVICES.items() if "memory-appliance" in service["image"]}


def test_every_long_running_program_is_a_service_and_no_other() -> None:
    table = programs(
        Layout(Path("/data"), "::", 1),
        own_broker=True,
        web_workers=1,
        web_threads=1,
        model_workers=1,
        chat_proxy_port=2,
    )
    commands = [service["command"] for service in OURS.values()]
    assert sorted(commands) == sorted([program.name] for program in table if not program.once)


@pytest.mark.parametrize("name", OURS)
def test_a_service_asks_its_own_program_whether_it_is_well(name: str) -> None:
    assert OURS[name]["healthcheck"]["test"][-1:] == OURS[name]["command"]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_confined_and_limited(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"] and "privileged" not in service
    assert "no-new-privileges:true" in service["security_opt"]
    assert {"mem_limit", "pids_limit", "restart", "logging", "healthcheck"} <= set(service)


def test_only_what_people_and_programs_call_has_ports_and_ours_on_this_machine_alone() -> None:
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"web", "chat-proxy", "caddy"}
    assert SERVICES["chat-proxy"]["ports"] == ["${CHAT_PUBLISH:-127.0.0.1:8766}:8766"]
    assert SERVICES["web"]["ports"] == ["${PUBLISH:-127.0.0.1:8765}:8765"]
    assert SERVICES["broker"]["network_mode"] == "none"


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_package_of_the_image_can_be_had_for_the_machine(machine: str) -> None:
    """Windows' own packages are never installed; the local model runtime is compiled while the image is built."""
    with (ROOT / "uv.lock").open("rb") as file:
        packages = tomllib.load(file)["package"]
    files = {
        package["name"]: [wheel["url"].rpartition("/")[2] for wheel in package.get("wheels", [])]
        for package in packages
    }
    missing = {name for name, wheels in files.items() if not any(fits(wheel, machine) for wheel in wheels)}
    assert missing <= {"llama-cpp-python", "memory-appliance", "pywin32"}


def fits(wheel: str, machine: str) -> bool:
    return wheel.endswith("-any.whl") or (
        "manylinux" in wheel and machine in wheel and any(tag in wheel for tag in ("-cp311-", "-abi3-", "-py3-none-"))
    )
