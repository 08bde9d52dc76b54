"""What a note holds cannot steer the terminal it is shown on, and is not changed on its way into a file."""

from __future__ import annotations

import io

from django.core.management.base import OutputWrapper

from memory_appliance.management.memory.output import Output

HOSTILE = "key \x1b[2J\x1b]0;owned\x07 \u202egnp\u202c 钥匙\tend"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _written(stream: io.StringIO) -> str:
    Output(OutputWrapper(stream), OutputWrapper(stream)).line(HOSTILE)
    return stream.getvalue()


def test_control_codes_are_shown_on_a_terminal() -> None:
    assert _written(Terminal()) == "key \\x1b[2J\\x1b]0;owned\\x07 \\u202egnp\\u202c 钥匙\tend\n"


def test_a_file_gets_the_text_as_it_is() -> None:
    assert _written(io.StringIO()) == HOSTILE + "\n"
