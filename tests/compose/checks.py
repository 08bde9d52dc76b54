"""The checks of `make compose-test`, in their order: build, start, use, break, take down. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.compose.stack import SERVICES, Broken, Stack, free_port, until

FILES = 400
NOTE = "The spare key hangs behind the blue door."
LARGE = f"""
import random
from pathlib import Path
words = [f"word{{number}}" for number in range(4000)]
choose = random.Random(7)
folder = Path("/data/workspaces/large/memory")
folder.mkdir(exist_ok=True)
for number in range({FILES}):
    lines = [" ".join(choose.choices(words, k=40)) for _ in range(300)]
    (folder / f"{{number}}.md").write_text(f"# Note {{number}}\\n\\n" + "\\n".join(lines))
"""
CONFINED = """
import os
from pathlib import Path
print(os.getuid(), os.getgid())
status = dict(line.split(":", 1) for line in Path("/proc/1/status").read_text().splitlines())
print(status["CapEff"].strip(), status["CapBnd"].strip(), status["NoNewPrivs"].strip())
for folder in ("/app", "/etc", "/usr/bin"):
    try:
        Path(folder, "probe").write_text("")
    except OSError as error:
        print(error.errno)
"""
CONTROL_DATABASE = """
import os, django
os.environ["DJANGO_SETTINGS_MODULE"] = "memory_appliance.settings"
django.setup()
from django.db import connection
print(connection.vendor)
"""
SERVERS = 3
ASK_HERE = """
import json, urllib.request
request = urllib.request.Request(
    "http://127.0.0.1:8765/api/v1/agents/home/search",
    data=json.dumps({{"query": "blue door key", "min_score": 0.0}}).encode(),
    headers={{"Authorization": "Bearer {key}", "Content-Type": "application/json"}},
)
results = json.load(urllib.request.urlopen(request, timeout=30))["results"]
print(json.dumps([[hit["path"], hit["start_line"], hit["score"], hit["snippet"]] for hit in results]))
"""
COUNT_FACTS = """
import json, re
from collections import Counter
from pathlib import Path
text = "\\n".join(path.read_text() for path in Path("/data/workspaces/home").rglob("*.md"))
print(json.dumps(Counter(re.findall(r"Fact \\d+ holds\\.", text))))
"""
PROFILES = ("postgres", "caddy", "model-worker", "chat-proxy")
READ_ONLY = 30
PERMISSION_DENIED = 13


def the_file_confines_every_service(stack: Stack) -> None:
    every = [part for profile in PROFILES for part in ("--profile", profile)]
    services: dict[str, dict[str, Any]] = json.loads(stack.compose(*every, "config", "--format", "json"))["services"]
    for name, service in services.items():
        wanted = {
            "read_only": service.get("read_only") is True,
            "cap_drop": service.get("cap_drop") == ["ALL"],
            "no-new-privileges": "no-new-privileges:true" in service.get("security_opt", []),
            "health check": bool(service.get("healthcheck")),
            "restart": service.get("restart") == "unless-stopped",
            "memory limit": int(service.get("mem_limit", 0)) > 0,
            "log rotation": "max-size" in service.get("logging", {}).get("options", {}),
            "ports": bool(service.get("ports")) == (name in ("web", "caddy", "chat-proxy")),
            "pinned image": not service["image"].endswith(":latest") and ":" in service["image"],
        }
        if missing := [what for what, holds in wanted.items() if not holds]:
            raise Broken(f"{name}: {', '.join(missing)}")


def it_builds(stack: Stack) -> None:
    stack.compose("--progress", "plain", "build", seconds=3000)


def every_service_is_healthy(stack: Stack) -> None:
    stack.up()
    for service in SERVICES:
        if not stack.is_healthy(service):
            raise Broken(f"{service} is not healthy")


def only_web_listens_and_on_this_machine_alone(stack: Stack) -> None:
    found = {service: stack.inspect(service)["HostConfig"]["PortBindings"] for service in SERVICES}
    published = {service: ports for service, ports in found.items() if ports}
    if published != {"web": {"8765/tcp": [{"HostIp": "127.0.0.1", "HostPort": str(stack.port)}]}}:
        raise Broken(f"published: {published}")


def the_processes_are_confined(stack: Stack) -> None:
    for service in SERVICES:
        identity, rights, *refusals = stack.run_in(service, CONFINED).splitlines()
        if identity != "1000 1000" or rights != "0000000000000000 0000000000000000 1":
            raise Broken(f"{service} runs as {identity} with {rights}")
        if len(refusals) != 3 or not set(map(int, refusals)) <= {READ_ONLY, PERMISSION_DENIED}:
            raise Broken(f"{service} could write outside its folders: {refusals}")


def a_note_is_found_by_words_and_by_meaning(stack: Stack) -> None:
    stack.call("POST", "/api/v1/agents", {"slug": "home"})
    stack.call("POST", "/api/v1/agents/home/notes", {"text": f"- {NOTE}"})
    until("found by its words", lambda: stack.finds("home", "blue door", "search", NOTE), 60)
    until("found by its meaning", lambda: stack.finds("home", "备用钥匙在哪里？", "vsearch", NOTE), 120)


def a_file_that_changed_is_noticed(stack: Stack) -> None:
    path = "/data/workspaces/home/memory/bicycle.md"
    stack.run_in("watcher", f"open({path!r}, 'w').write('- The bicycle pump lies in the cellar.')")
    until("the new file is found", lambda: stack.finds("home", "bicycle pump", "search", "cellar"), 60)


def an_update_survives_the_death_of_its_worker(stack: Stack) -> None:
    stack.call("POST", "/api/v1/agents", {"slug": "large"})
    stack.run_in("web", LARGE)
    run = stack.call("POST", "/api/v1/agents/large/update")["run"]
    run_id = int(run["id"] if isinstance(run, dict) else run)
    until("the update works", lambda: stack.run(run_id)["progress"]["done"] > 0, 60)
    before, begun = stack.restarts("worker"), stack.run(run_id)
    stack.kill_main_process("worker")
    if begun["state"] != "running":
        raise Broken(f"the update was not under way but {begun['state']}: nothing was tested")
    if not stack.finds("home", "blue door", "search", NOTE):
        raise Broken("searches failed while the worker was dead")
    until("the update is done", lambda: stack.run(run_id)["state"] == "done", 180)
    until("the worker is well", lambda: stack.restarted("worker", before), 90)
    if (files := stack.status("large")["files"]) != FILES:
        raise Broken(f"{files} of {FILES} files are indexed")


def embedding_survives_the_death_of_the_models(stack: Stack) -> None:
    waiting = stack.status("large")["pending"]
    before = stack.restarts("models")
    stack.kill_main_process("models")
    until("models are well", lambda: stack.restarted("models", before), 90)
    until("embedding goes on", lambda: stack.status("large")["pending"] < waiting, 120)
    until(
        "another question is understood",
        lambda: stack.finds("home", "Wo hängt der Ersatzschlüssel?", "vsearch", NOTE),
        60,
    )
    stack.call("DELETE", "/api/v1/agents/large")


def a_broker_that_restarts_loses_nothing(stack: Stack) -> None:
    stack.compose("stop", "broker")
    path = "/data/workspaces/home/memory/ladder.md"
    stack.run_in("watcher", f"open({path!r}, 'w').write('- The ladder is borrowed from Mrs. Okafor.')")
    if not stack.finds("home", "blue door", "search", NOTE):
        raise Broken("searches failed while the broker was away")
    stack.compose("start", "broker")
    until("what was written meanwhile is found", lambda: stack.finds("home", "ladder", "search", "Okafor"), 90)
    stack.compose("restart", "broker")
    until("all are well", lambda: all(map(stack.is_healthy, SERVICES)), 90)


def web_made_anew_serves_the_same(stack: Stack) -> None:
    before = stack.inspect("web")["Id"]
    stack.up("--force-recreate", "--no-deps", "web")
    if stack.inspect("web")["Id"] == before:
        raise Broken("web was not made anew")
    until("all is found", lambda: everything_is_there(stack), 60)


def a_web_process_that_dies_is_replaced(stack: Stack) -> None:
    before = stack.restarts("web")
    stack.kill_main_process("web")
    until("web is well", lambda: stack.restarted("web", before), 120)
    until("all is found", lambda: everything_is_there(stack), 60)


def down_and_up_keep_everything(stack: Stack) -> None:
    stack.compose("down")
    stack.up()
    until("all is found", lambda: everything_is_there(stack), 90)


def down_with_volumes_leaves_nothing(stack: Stack) -> None:
    stack.compose("down", "-v")
    if left := stack.left_over():
        raise Broken(f"left over: {left}")


def the_profiles_start_too(stack: Stack) -> None:
    stack.give_secret("postgres_password", "a-password-of-this-run")
    stack.give_secret("database_url", "postgres://memory:a-password-of-this-run@postgres/memory")
    stack.set(COMPOSE_PROFILES=",".join(PROFILES), SITE="localhost")
    stack.set(MEMORY_CHAT_PROXY_UPSTREAM_URL="http://127.0.0.1:9/v1", CHAT_PUBLISH=f"127.0.0.1:{free_port()}")
    stack.set(HTTP_PORT=str(free_port()), HTTPS_PORT=str(stack.https_port))
    stack.up()
    until("all are well", lambda: all(map(stack.is_healthy, (*SERVICES, *PROFILES))), 90)
    if (kind := stack.run_in("web", CONTROL_DATABASE).strip()) != "postgresql":
        raise Broken(f"the control database is {kind}")
    stack.call("POST", "/api/v1/agents", {"slug": "home"})
    stack.call("POST", "/api/v1/agents/home/notes", {"text": f"- {NOTE}"})
    until("found by its meaning", lambda: stack.finds("home", "备用钥匙在哪里？", "vsearch", NOTE), 120)


def https_is_answered_and_known_as_such(stack: Stack) -> None:
    status, headers = stack.over_https("/health/ready")
    if status != HTTPStatus.OK or "Strict-Transport-Security" not in headers:
        raise Broken(f"{status} {headers}: web does not believe Caddy")


def the_control_database_may_die(stack: Stack) -> None:
    before = stack.restarts("postgres")
    stack.kill_main_process("postgres")
    until("PostgreSQL is well", lambda: stack.restarted("postgres", before), 90)
    until("the note is found", lambda: found_again(stack), 60)


def several_servers_start_with_one_command(stack: Stack) -> None:
    stack.with_files("docker-compose.yml", "docker-compose.scale.yml")
    stack.set(COMPOSE_PROFILES="", SITE="", HTTP_PORT="127.0.0.1:", HTTPS_PORT="127.0.0.1:")
    stack.up("--scale", f"server={SERVERS}")
    if (kind := stack.run_in("server", CONTROL_DATABASE).strip()) != "postgresql":
        raise Broken(f"the control database is {kind}")
    for name, service in json.loads(stack.compose("config", "--format", "json"))["services"].items():
        confined = service.get("read_only") and service.get("cap_drop") == ["ALL"] and service.get("mem_limit")
        if not confined or bool(service.get("ports")) != (name == "caddy"):
            raise Broken(f"{name} is not confined, or has a port of its own")


def every_server_gives_the_same_hits(stack: Stack) -> None:
    a_note_is_found_by_words_and_by_meaning(stack)
    ask = ASK_HERE.format(key=stack.key)
    for index in range(1, SERVERS + 1):
        until(f"server {index} says the same", lambda index=index: hits(stack, ask, index) == hits(stack, ask, 1), 60)


def hits(stack: Stack, ask: str, index: int) -> str:
    found = stack.run_in("server", ask, index=index)
    return found if NOTE in found else f"nothing on {index}"


def one_server_is_killed_while_notes_are_written(stack: Stack) -> None:
    confirmed: list[str] = []
    over = threading.Event()
    writer = threading.Thread(target=write_facts, args=(stack, confirmed, over), daemon=True)
    writer.start()
    until("notes come in", lambda: len(confirmed) >= 5, 60)
    stack.kill_one_of("server")
    before = len(confirmed)
    until("notes go on coming in", lambda: len(confirmed) >= before + 5, 30)
    if not stack.finds("home", "blue door", "search", NOTE):
        raise Broken("searches fail")
    over.set()
    writer.join()
    found = json.loads(stack.run_in("server", COUNT_FACTS, index=SERVERS))
    if lost := set(confirmed) - set(found):
        raise Broken(f"confirmed and lost: {lost}")
    if doubled := [fact for fact, count in found.items() if count > 1]:
        raise Broken(f"doubled: {doubled}")
    stack.up("--scale", f"server={SERVERS}")


def write_facts(stack: Stack, confirmed: list[str], over: threading.Event) -> None:
    """One after the other, each again with the same key until it is confirmed."""
    number = 0
    while not over.is_set():
        fact = f"Fact {number:04d} holds."
        with suppress(Broken):
            stack.call("POST", "/api/v1/agents/home/notes", {"text": fact, "idempotency_key": fact})
            confirmed.append(fact)
            number += 1


def found_again(stack: Stack) -> bool:
    try:
        return stack.finds("home", "blue door", "search", NOTE)
    except Broken:
        return False  # a web process may meet its dead connection once


def everything_is_there(stack: Stack) -> bool:
    return (
        stack.finds("home", "blue door", "search", NOTE)
        and stack.finds("home", "备用钥匙在哪里？", "vsearch", NOTE)
        and stack.finds("home", "bicycle pump", "search", "cellar")
        and stack.finds("home", "ladder", "search", "Okafor")
    )


CHECKS: tuple[Callable[[Stack], None], ...] = (
    the_file_confines_every_service,
    it_builds,
    every_service_is_healthy,
    only_web_listens_and_on_this_machine_alone,
    the_processes_are_confined,
    a_note_is_found_by_words_and_by_meaning,
    a_file_that_changed_is_noticed,
    an_update_survives_the_death_of_its_worker,
    embedding_survives_the_death_of_the_models,
    a_broker_that_restarts_loses_nothing,
    web_made_anew_serves_the_same,
    a_web_process_that_dies_is_replaced,
    down_and_up_keep_everything,
    down_with_volumes_leaves_nothing,
    the_profiles_start_too,
    https_is_answered_and_known_as_such,
    the_control_database_may_die,
    down_with_volumes_leaves_nothing,
    several_servers_start_with_one_command,
    every_server_gives_the_same_hits,
    one_server_is_killed_while_notes_are_written,
    down_with_volumes_leaves_nothing,
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only-servers", action="store_true", help="the checks of docker-compose.scale.yml alone")
    parser.add_argument("--began", type=float, default=0.0, help="seconds that have passed already")
    chosen = parser.parse_args()
    started = time.monotonic() - chosen.began
    checks = (
        (it_builds, *CHECKS[CHECKS.index(several_servers_start_with_one_command) :]) if chosen.only_servers else CHECKS
    )

    def say(text: str) -> None:
        print(f"[{time.monotonic() - started:4.0f}s] {text}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        stack = Stack(Path(folder) / "secrets")
        passed = 0
        try:
            stack.compose("down", "-v", "--remove-orphans")  # of a run that was killed
            for check in checks:
                name = check.__name__.replace("_", " ")
                check(stack)
                passed += 1
                say(f"ok: {name}")
        except Broken as reason:
            say(f"FAILED: {name}: {reason}")
            print(stack.last_words())
            stack.compose("down", "-v", "--remove-orphans")
        print(f"{passed} passed, {int(passed < len(checks))} failed")
    return int(passed < len(checks))


if __name__ == "__main__":
    raise SystemExit(main())
