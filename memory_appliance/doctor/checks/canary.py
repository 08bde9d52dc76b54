"""Canary: something is written down, found by words and by meaning, recalled, withheld from others, and removed.

It goes through the use-cases that the API and MCP go through, with agents of its own: see agents/registry/canary.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings

from agents.access.sessions import Session
from agents.core.actors import Caller
from agents.core.paths import index_path
from agents.files.notes import note
from agents.memory.reads import Denied, SearchParams, get, search
from agents.memory.recall import RecallParams, recall
from agents.models import Agent
from agents.providers.plans import server_plan
from agents.registry.canary import DOCTOR, canary, remove_left_canaries
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.outcome import SearchOutcome
from search.recall.outcome import Status
from search.runtime.providers.choice import NONE
from search.sentences import sentence
from search.spec import Mode
from workers.alive import silent_for

WORDS_SECONDS = 30.0
MEANING_SECONDS = 90.0
_POLL_SECONDS = 0.25
_ALIVE_SECONDS = 30.0
_DOCTOR = Caller(DOCTOR)
_FACT = "The spare fuse of the greenhouse heater lies in the blue biscuit tin."
_OTHER_FACT = "Tomatoes are watered in the morning, before the sun is on them."
_OTHER_FILE = "memory/garden.md"
_KEYWORD = "biscuit tin"
_QUESTION = "Where did we put the replacement part for heating the glasshouse?"
_MESSAGE = "Do you remember where the spare fuse of the greenhouse heater is?"


def _look(visit: Visit) -> Looking:
    remove_left_canaries()
    with canary() as own, canary() as stranger:
        yield from _written(own)
        by_words = _by_words(own)
        yield by_words
        if by_words.level == "ok":
            yield _by_meaning(own)
            yield _recalled(own)
            yield _withheld_from_groups(own)
            yield _withheld_from_others(stranger)
        folders = [Path(agent.workspace) for agent in (own, stranger)]
    yield _removed(folders)


def _written(agent: Agent) -> Iterator[Seen]:
    for text, target in ((_FACT, "daily"), (_OTHER_FACT, _OTHER_FILE)):
        noted = note(agent=agent, caller=_DOCTOR, text=text, target=target, session=_chat(agent, "direct"))
    yield Seen(
        "ok",
        sentence("Written down.") if noted.indexed else sentence("Written down, to be indexed by a worker."),
        "",
        "note",
        sentence("Canary: a note"),
    )


def _by_words(agent: Agent) -> Seen:
    took = _wait(lambda: _found(_ask(agent, "search", _KEYWORD)), WORDS_SECONDS)
    title = "Canary: found by words"
    if took is None:
        return Seen(
            "problem",
            sentence(
                "Not found within {words_seconds:.0f} s: {why}.",
                words_seconds=WORDS_SECONDS,
                why=_why(_ask(agent, "search", _KEYWORD)),
            ),
            sentence("See whether a worker is alive and the indexes folder can be written."),
            "words",
            title,
        )
    return Seen("ok", sentence("After {took:.1f} s.", took=took), "", "words", title)


def _by_meaning(agent: Agent) -> Seen:
    title = "Canary: found by meaning"
    if server_plan("embed").first.provider == NONE:
        return Seen("skipped", sentence("No embedding model is chosen: searches go by words."), "", "meaning", title)
    silence = silent_for(settings.MEMORY_LOCAL_DIR / "run", "worker")
    if silence is None or silence > _ALIVE_SECONDS:
        return Seen(
            "skipped",
            sentence("No worker is alive that would embed it."),
            sentence("Start the server."),
            "meaning",
            title,
        )
    took = _wait(lambda: _found(_ask(agent, "vsearch", _QUESTION), whole=True), MEANING_SECONDS)
    if took is None:
        return Seen(
            "problem",
            sentence(
                "Not found within {meaning_seconds:.0f} s: {why}.",
                meaning_seconds=MEANING_SECONDS,
                why=_why(_ask(agent, "vsearch", _QUESTION)),
            ),
            sentence("See the findings about models and jobs."),
            "meaning",
            title,
        )
    return Seen("ok", sentence("By a question in other words, after {took:.1f} s.", took=took), "", "meaning", title)


def _recalled(agent: Agent) -> Seen:
    title = "Canary: recalled"
    if not settings.MEMORY_RECALL:
        return Seen("skipped", sentence("Recall is off: MEMORY_RECALL=0."), "", "recall", title)
    params = RecallParams(_MESSAGE, mode="always")
    outcome = recall(agent=agent, caller=_DOCTOR, session=_chat(agent, "direct"), params=params).outcome
    if outcome.status is Status.OK and _KEYWORD in outcome.summary + outcome.context:
        return Seen(
            "ok",
            sentence("Status {status}, lane {lane}.", status=outcome.status, lane=outcome.lane),
            "",
            "recall",
            title,
        )
    return Seen(
        "problem",
        sentence("Status {status}, reason {reason}.", status=outcome.status, reason=outcome.reason),
        sentence("See docs/recall.md for this reason."),
        "recall",
        title,
    )


def _withheld_from_groups(agent: Agent) -> Seen:
    """The rules that every new agent begins with."""
    group = _chat(agent, "group")
    answers = {
        "search": isinstance(_ask_in(agent, group, "search", _KEYWORD), Denied),
        "get": isinstance(get(agent=agent, caller=_DOCTOR, session=group, path=_OTHER_FILE), Denied),
    }
    recalled = recall(agent=agent, caller=_DOCTOR, session=group, params=RecallParams(_MESSAGE, mode="always")).outcome
    answers["recall"] = not recalled.summary and not recalled.context
    return _verdict(answers, "group", "Canary: denied to a group chat", "denied")


def _withheld_from_others(stranger: Agent) -> Seen:
    direct = _chat(stranger, "direct")
    recalled = recall(
        agent=stranger, caller=_DOCTOR, session=direct, params=RecallParams(_MESSAGE, mode="always")
    ).outcome
    answers = {
        "words": not _found(_ask(stranger, "search", _KEYWORD)),
        "meaning": not _found(_ask(stranger, "vsearch", _QUESTION)),
        "recall": _KEYWORD not in recalled.summary + recalled.context,
    }
    return _verdict(answers, "stranger", "Canary: unseen by a second agent", "not there")


def _verdict(answers: dict[str, bool], part: str, title: str, word: str) -> Seen:
    leaks = [name for name, closed in answers.items() if not closed]
    if leaks:
        return Seen(
            "problem",
            sentence("Seen where it must not be: by {leaks}.", leaks=", ".join(leaks)),
            sentence("Stop the server and report this: it is a fault of the appliance, not of your settings."),
            part,
            title,
        )
    return Seen("ok", f"By {', '.join(answers)}: {word}.", "", part, title)


def _removed(folders: list[Path]) -> Seen:
    left = [folder for folder in folders if folder.exists() or index_path(folder.name).exists()]
    left += [folder for folder in folders if Agent.objects.filter(slug=folder.name).exists()]
    title = "Canary: removed"
    if left:
        return Seen(
            "warning",
            sentence("{name} is still there.", name=left[0].name),
            sentence("The nightly care takes it away."),
            "removed",
            title,
        )
    return Seen("ok", sentence("Agents, notes and indexes of this test are gone."), "", "removed", title)


def _chat(agent: Agent, kind: str) -> Session:
    return Session(key=f"agent:{agent.slug}:doctor:{kind}:canary")


def _ask(agent: Agent, mode: Mode, query: str) -> SearchOutcome | Denied:
    return _ask_in(agent, _chat(agent, "direct"), mode, query)


def _ask_in(agent: Agent, session: Session, mode: Mode, query: str) -> SearchOutcome | Denied:
    answer = search(agent=agent, caller=_DOCTOR, session=session, params=SearchParams(query, mode=mode, min_score=0.0))
    return answer if isinstance(answer, Denied) else answer.outcome


def _found(answer: SearchOutcome | Denied, *, whole: bool = False) -> bool:
    """First of all hits; `whole`: by vectors indeed, of which none is missing."""
    if isinstance(answer, Denied) or not answer.results or _KEYWORD not in answer.results[0].snippet:
        return False
    return not whole or not answer.degraded


def _why(answer: SearchOutcome | Denied) -> str:
    if isinstance(answer, Denied):
        return f"the chat is denied ({answer.decision.reason})"
    told = [f"{one.code}, {one.detail.rstrip('.')}" for one in answer.degraded]
    return "; ".join(told) or answer.reason or f"the answer is {answer.outcome}"


def _wait(holds: Callable[[], bool], seconds: float) -> float | None:
    """Seconds until it held, or None."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > seconds:
            return None
        time.sleep(_POLL_SECONDS)
    return time.monotonic() - began


CANARY = Check("canary", "Canary", _look, needs_database=True, in_quick=False)
