"""The marks between memory and the model that reads it: what is put around a text, and that no text can forge them.

Whatever a note says, it stays a quotation. Each line of a hit begins with `> `, so that nothing in it can look like the
head of another; tags, tokens and roles that a model could take for a change of speaker are broken with a backslash;
what is not seen is gone. By the same names, however they are spelt, blocks that were injected into a conversation are
found and taken out of it again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

TAG = "memory_notes"

_BLOCKS = (
    r"memory_notes|active_memory\w{0,40}|relevant_memor(?:y|ies)|memory_context|system-reminder|local-command-\w{1,40}"
    r"|command-\w{1,40}|bash-\w{1,40}|environment_context|user_instructions"
)
"""Tags of blocks that this server, gateways and clients put into conversations."""
_SPEAKERS = (
    r"system\w{0,20}|human|user|assistant|developer|instructions?|tool_\w{1,20}|function_\w{1,20}|functions?|tool"
    r"|invoke|parameter|antml|start_of_turn|end_of_turn|think|s(?=\s{0,2}>)|sys|bos|eos|untrusted\w{0,20}"
)
"""Tags and tokens by which models tell who speaks."""
_OPEN = r"(?:<|&(?:lt|\#0{0,6}60|\#x0{0,6}3c);?)"
_FORGED = re.compile(
    rf"(?P<sign>{_OPEN})(?:\||[\s/!?]{{0,8}}(?:{_BLOCKS}|{_SPEAKERS})\b)"
    r"|(?P<bracket>\[)[\s/]{0,4}(?:inst|sys|system|available_tools|tool_calls|tool_results|/inst)\b"
)
_INJECTED = re.compile(
    rf"<\s{{0,4}}(?P<tag>{_BLOCKS})\b[^<>]{{0,500}}>.*?(?:<\s{{0,4}}/\s{{0,4}}(?P=tag)\s{{0,4}}>|\Z)"
    rf"|<\s{{0,4}}/\s{{0,4}}(?:{_BLOCKS})\s{{0,4}}>"
    r"|^[^\n]*\(untrusted metadata\):\s{0,20}```.*?(?:```|\Z)",
    re.DOTALL | re.MULTILINE,
)
_MAY_FORGE = re.compile("[<﹤＜≮‹〈⟨\u2329❮&＆﹠\\[［]")
"""Whatever `_look` takes for an opening sign."""
_TERMINAL = re.compile(r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)")
_BREAKS = re.compile(r"\r\n?")
_SELECTORS = re.compile("[\U000e0100-\U000e01ef]")
"""Variation selectors of the supplement: printable, and they spell whole texts that nobody sees."""
_JOINERS = "\u200c\u200d"
"""Invisible, and part of words and of emoji."""
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\ufe0e\ufe0f\uffa0"
"""Nothing is seen of these, though they count as letters, signs or marks."""
_UNSEEN_KINDS = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_ANGLES = dict.fromkeys("‹〈⟨\u2329❮", "<") | dict.fromkeys("›〉⟩\u232a❯", ">")
_LETTERS = dict(zip("аеорсухіѕјԁһԛԝмнтквαεορτυνικμ", "aeopcyxisjdhqwmhtkbaeoptuvikm", strict=True))
_CONTEXT_HEAD = re.compile(r"^(?=[ ]{0,3}#{1,6}[ \t]+(?:\S[^\n]{0,200}\.md\b|memory of\b|recent notes\b))", re.I | re.M)
_QUOTE_MARK = re.compile(r"(?:begin|end)[ _]quoted[ _]notes", re.I)


def clean(text: str) -> str:
    """Line ends as `\\n`; no control, direction or other invisible signs, no codes of terminals."""
    if text.replace("\n", "").isprintable() and not _SELECTORS.search(text):
        return text
    text = _BREAKS.sub("\n", _TERMINAL.sub("", text))
    return text.translate({ord(char): _shown(char) for char in set(text)})


def says_something(text: str) -> bool:
    """Whether a sign of it is seen: not spaces, signs of control and direction, fillers or selectors alone."""
    return any(char not in _BLANK and unicodedata.category(char) not in _UNSEEN_KINDS for char in text)


def inert(text: str) -> str:
    """`text` as it can be handed to a model: the same words and lines, without forged marks."""
    text = clean(text)
    if not _MAY_FORGE.search(text):
        return text
    skeleton, places = _skeleton(text)
    cuts = [places[match.end("sign" if match["sign"] else "bracket") - 1] + 1 for match in _FORGED.finditer(skeleton)]
    return "\\".join(text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True))


def one_line(text: str) -> str:
    """Without line breaks, and without signs that could hide or move what stands around them."""
    return " ".join(inert(text).split())


def label(name: str) -> str:
    """A path, a heading or another name, on one line and otherwise as it is."""
    return inert(name).replace("\n", " ")


def quoted(text: str) -> str:
    """Each line behind `> `: no line of it can be taken for one of ours."""
    return "\n".join(f"> {line}".rstrip() for line in inert(text).split("\n"))


def in_context(text: str) -> str:
    """`inert`, and no line of it opens a file or a quotation of the context that a chat starts with."""
    return _QUOTE_MARK.sub(lambda mark: mark[0].lower(), _CONTEXT_HEAD.sub(r"\\", inert(text)))


def without_injected(text: str) -> str:
    """A message without what was put into it around the words: blocks of memory, of gateways, also unfinished ones."""
    if not _MAY_FORGE.search(text) and "(untrusted" not in text:
        return text
    skeleton, places = _skeleton(text)
    kept, start = [], 0
    for match in _INJECTED.finditer(skeleton):
        kept.append(text[start : places[match.start()]])
        start = places[match.end() - 1] + 1
    return "\n".join([*kept, text[start:]])


@lru_cache(maxsize=4096)
def _shown(char: str) -> str:
    if char in "\n\t" or char in _JOINERS:
        return char
    if char in "\x0b\x0c\x1c\x1d\x1e\x1f\x85" or unicodedata.category(char) in ("Zl", "Zp"):
        return " "
    return "" if unicodedata.category(char) in ("Cc", "Cf") or _SELECTORS.match(char) else char


def _skeleton(text: str) -> tuple[str, Sequence[int]]:
    """What the text looks like, in small plain letters, and for each of them where in `text` it stands."""
    if text.isascii():
        return text.lower(), range(len(text))
    seen = [(sign, place) for place, char in enumerate(text) if (sign := _look(char))]
    return "".join(sign for sign, _ in seen), [place for _, place in seen]


@lru_cache(maxsize=4096)
def _look(char: str) -> str:
    if char in _ANGLES:
        return _ANGLES[char]
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return ""
    sign = unicodedata.normalize("NFKD", char)[0].casefold()[:1]
    return _LETTERS.get(sign, sign)
