"""chat_name(): what a chat was about, in a few words, where a generator was chosen that says it in time."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from agents.models import Agent
from agents.providers.plans import agent_plan
from agents.providers.role_models import generator_for
from search.documents.transcripts import Turn
from search.errors import GeneratorUnavailable
from search.flush.generate import Nonsense
from search.flush.name import name_of
from search.runtime.providers.choice import NONE
from search.sentences import sentence

logger = logging.getLogger(__name__)

SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class ChatName:
    """`text` is "" when nobody gave one; `problem` then says why somebody who was asked did not."""

    text: str = ""
    problem: str = ""


def names_chats(agent: Agent) -> bool:
    return agent_plan("generate", agent).first.provider != NONE


def chat_name(agent: Agent, turns: Sequence[Turn]) -> ChatName:
    try:
        generator = generator_for(agent)
        return ChatName(name_of(generator, turns, timeout=SECONDS)) if generator and turns else ChatName()
    except GeneratorUnavailable as error:
        problem = error.message
    except Nonsense as error:
        problem = str(error)
    logger.info("a chat of %s is named by its time: %s", agent.slug, problem)
    return ChatName("", sentence("named by the time: the generator gave no name: {problem}", problem=problem))
