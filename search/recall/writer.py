"""write(): a generator as planner and writer, on a short lead: few steps, two tools, one checked note."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from search.get import GetResult
from search.outcome import SearchOutcome
from search.recall.choices import QueryMode
from search.recall.grounding import says_nothing
from search.recall.models import TurnGenerator
from search.recall.prompts import ANSWER_SCHEMA, BUDGETS, Prompt, shown
from search.recall.tools import Toolbox, ToolRefused
from search.runtime.protocols import Message

MAX_STEPS = 4
"""Answers of the generator in one turn, the note included."""

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Task:
    conversation: str
    query_mode: QueryMode
    prompt: Prompt
    limit: int


def write(
    generator: TurnGenerator,
    task: Task,
    tools: Toolbox,
    first: SearchOutcome,
    took: Callable[[SearchOutcome | GetResult], None],
) -> str:
    """The note, unchecked; "" when the generator says that nothing helps or never comes to a note.

    `first` is the search that was made already; `took` is told every further result. Raises `GeneratorUnavailable`.
    """
    messages = [
        Message("system", task.prompt.system(limit=task.limit, query_mode=task.query_mode)),
        Message("user", f"{task.conversation}\n\nmemory_search returned:\n{shown(first)}"),
    ]
    for step in range(MAX_STEPS):
        thinking = task.prompt.thinking
        said = generator.generate(messages, max_tokens=BUDGETS[thinking], json_schema=ANSWER_SCHEMA, thinking=thinking)
        answer = _answer(said)
        if "tool" not in answer:
            note = str(answer.get("note", ""))
            return "" if says_nothing(note) else note
        messages.append(Message("assistant", json.dumps(answer, ensure_ascii=False)))
        messages.append(Message("user", _called(tools, answer, took)))
        if step == MAX_STEPS - 2:
            messages.append(Message("user", "That was the last search. Answer with the note now."))
    return ""


def _called(tools: Toolbox, answer: dict[str, Any], took: Callable[[SearchOutcome | GetResult], None]) -> str:
    arguments = answer.get("arguments")
    try:
        result = tools.call(answer["tool"], arguments if isinstance(arguments, dict) else {})
    except ToolRefused as refusal:
        return f"Refused: {refusal}"
    took(result)
    return shown(result)


def _answer(said: str) -> dict[str, Any]:
    """The JSON object in what was said; plain text is taken for the note itself."""
    text = _THOUGHTS.sub("", said).strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        answer = json.loads(text)
    except ValueError:
        return {"note": "" if text.startswith("{") else text}
    return answer if isinstance(answer, dict) else {"note": ""}
