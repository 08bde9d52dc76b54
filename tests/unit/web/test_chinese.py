"""In Chinese no page says an English sentence, whatever the engine and the rules have to tell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from agents.models import Agent, Run
from memory_appliance.web.told import remark, told
from search.sentences import Sentence, ended, in_turn, packed, sentence, together, unpacked
from tests import cast
from tests.unit.web.test_isolation import FORMS, OF_AN_AGENT, OPEN, OWN, OWNERS_ONLY

ROOT = Path(__file__).resolve().parents[3]
ENGLISH = re.compile(r"[A-Za-z][a-z']+(?:[ ,]+[a-z][a-z']+){3,}")
"""Four words in a row: a sentence, and no name, option or path."""

NOT_OURS = ("No such file or directory",)
"""What the operating system says."""


class _Text(HTMLParser):
    """What a reader sees, without what they or a program have written."""

    SKIPPED = frozenset({"script", "style", "code", "pre", "textarea", "bdi", "title"})

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._skipping = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipping += tag in self.SKIPPED
        told_of = dict(attrs)
        self.parts += [told_of[name] or "" for name in ("aria-label", "title", "placeholder") if name in told_of]

    def handle_endtag(self, tag: str) -> None:
        self._skipping -= tag in self.SKIPPED and self._skipping > 0

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self.parts.append(data)


def english(page: str) -> list[str]:
    text = _Text()
    text.feed(page)
    return [found for part in text.parts for found in ENGLISH.findall(part) if not found.startswith(NOT_OURS)]


def _addresses() -> Iterator[str]:
    for address in sorted((OWN | OF_AN_AGENT | OWNERS_ONLY | OPEN) - FORMS):
        if not address.startswith(("api/", "admin/", "metrics", "health", "accounts/logout")):
            yield (
                "/"
                + address.replace("<slug:slug>", "al").replace("<int:number>", "1").replace("<str:role>", "embed")
                + ("?q=zebra" if address.endswith("search") else "")
                + ("?path=MEMORY.md" if "/file" in address else "")
            )


@pytest.fixture
def troubled(al: Agent, admin: Client) -> Client:
    """An owner who reads Chinese, and an agent with something wrong in every place that has room for it."""
    cast.write_files(al, {"MEMORY.md": "---\na: [b\n---\n- 钥匙是蓝色的。\n", "memory/big.md": "x\n" * 400})
    (Path(al.workspace) / "memory" / "link.md").symlink_to("/etc/hostname")
    cast.index(al)
    error = in_turn(sentence("the index {name} is damaged", name="al"), sentence("Ask again in a few seconds."))
    Agent.objects.filter(pk=al.pk).update(last_error=error, last_update_at=timezone.now())
    Run.objects.create(agent=al, kind=Run.Kind.UPDATE, state=Run.State.FAILED, error=error, finished_at=timezone.now())
    admin.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    return admin


@pytest.mark.parametrize("address", list(_addresses()))
def test_a_page_in_chinese_has_no_english_sentence(troubled: Client, address: str) -> None:
    page = troubled.get(address)
    assert page.status_code in (200, 302, 404, 405), address
    if page.status_code != 302 and page["Content-Type"].startswith("text/html"):
        assert english(page.content.decode()) == []


def test_a_stored_error_is_said_in_the_readers_language(troubled: Client, al: Agent) -> None:
    al.refresh_from_db()
    assert al.last_error == "the index al is damaged. Ask again in a few seconds."
    assert "索引 al 已损坏。请过几秒再问。" in troubled.get("/agents/al").content.decode()


def test_a_refusal_is_said_in_the_readers_language(troubled: Client) -> None:
    page = troubled.post("/agents/al/about", {"name": "", "timezone": "Mars/Base"}).content.decode()
    assert "没有时区" in page and english(page) == []


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        (sentence("{path} is a folder.", path="a.md"), "a.md 是文件夹。"),
        (ended(sentence("the index {name} is gone", name="al")), "索引 al 不存在。"),
        (
            together([sentence("symlink, not followed"), sentence("is a folder, not a file")]),
            "符号链接，不跟随；是文件夹，不是文件",
        ),
        (sentence("{used} of it", used=1), "1 of it"),
        ("as it is: {x}", "as it is: {x}"),
    ],
)
def test_a_sentence_is_stored_and_read_back_and_said(text: str, chinese: str) -> None:
    back = unpacked(packed(text))
    assert back == text and isinstance(back, Sentence) == isinstance(text, Sentence)
    with override("zh-hans"):
        assert told(back) == chinese
    with override("en"):
        assert told(back) == str(text) and remark(back)[0] == str(text)[0].upper()


def test_text_that_looks_like_a_packed_sentence_is_not_taken_for_one() -> None:
    text = packed(sentence("{a}", a=1))
    assert unpacked(packed(text)).strip() == text


def test_every_template_can_be_collected() -> None:
    """xgettext reads the source: the first argument is a plain string."""
    wrong = []
    for room in ("search", "agents", "workers", "memory_appliance"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sentence":
                    plain = isinstance(node.args[0], ast.Constant)
                    if not plain and path.name != "sentences.py":
                        wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []
