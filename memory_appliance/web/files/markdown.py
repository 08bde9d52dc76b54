"""render(): a note as it reads. Its text is anybody's: no HTML of its own, no images, no address but those checked.

The renderer makes few tags and the sanitiser lets no others through: either alone would be enough.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from memory_appliance.web.diff import visible
from memory_appliance.web.files.places import Lines
from search.documents.front_matter import read_front_matter
from search.documents.lines import split_lines

MOST_WORK = 40_000
"""About 0.1 s. What takes longer is shown as its source."""
_DEAR = {"|": 8, "[": 6, "`": 2, "*": 2, "_": 2, "&": 2}
"""Signs that cost as much as so many other characters, and more."""
DEEPEST = 40

_COMMENT = re.compile(r"<!--(.{0,500}?)-->", re.DOTALL)
_OUTSIDE = ("http", "https", "mailto")
_TEXT = {"em", "strong", "s", "a", "br", "small", "span", "code"}
_PARTS = {"h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "hr", "div"}
_TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
_BLOCKS = {"h3", "h4", "h5", "h6", "p", "li", "pre", "code", "blockquote", "tr", "hr"}
_WITHOUT_PLACE = {"table_open", "thead_open", "tbody_open", "bullet_list_open", "ordered_list_open"}
"""They begin where their first row or item does."""
_LEAVES = {"paragraph_open", "heading_open", "fence", "code_block", "tr_open", "hr"}
_CLASSES = {"cited", "scroll", "quiet", "picture"}

LinkTo = Callable[[str], str | None]
"""A link's target in the note → where it leads in the appliance; None when it leads to no file."""


class TooMuch(Exception):
    """The text is too long, or too deeply nested, to be rendered within a page's time."""


def render(text: str, *, link: LinkTo, marked: Lines | None = None) -> SafeString:
    """`marked` lines get the class `cited`, and the block that holds the first of them its number as id.

    Signs without a shape are written out, comments stand as small print, headings begin at the third level. Nothing
    is left out: what cannot be rendered whole raises `TooMuch`.
    """
    if len(text) + sum(weight * text.count(sign) for sign, weight in _DEAR.items()) > MOST_WORK:
        raise TooMuch
    lines = [visible(line) for line in split_lines(text)]
    head = read_front_matter(split_lines(text)).lines
    shown = "\n".join([*[""] * head, *lines[head:]])
    dirty = _parser().render(shown, {"link": link, "marked": marked})
    front = f'<pre class="quiet" id="L1"><code>{html.escape(chr(10).join(lines[:head]))}</code></pre>' if head else ""
    return mark_safe(_clean(front + dirty))  # noqa: S308 - this is what the sanitiser has let through


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": DEEPEST}).enable(
        ["table", "strikethrough"]
    )
    parser.disable("reference")  # a definition that nothing refers to would be in the file and not on the page
    parser.inline.ruler.before("html_inline", "comment", _comment)
    parser.core.ruler.push("places", _places)
    parser.core.ruler.push("levels", _levels)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("comment", _small)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    parser.validateLink = _any_link  # type: ignore[method-assign]  # checked once the whole link is known
    return parser


def _any_link(url: str) -> bool:
    return True


def _comment(state: StateInline, silent: bool) -> bool:
    """`<!-- importance: 8 -->`: what the index reads and a reader need not stumble over."""
    match = _COMMENT.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        state.push("comment", "small", 0).content = match[1].strip()
    state.pos = match.end()
    return True


def _places(state: StateCore) -> None:
    """Where every block begins, as an id; which of them are marked; where every link leads."""
    marked: Lines | None = state.env["marked"]
    taken: set[int] = set()
    item: Token | None = None
    for token in state.tokens:
        if token.level >= DEEPEST - 1:
            raise TooMuch  # what is deeper was dropped by the parser
        item = token if token.type == "list_item_open" else item
        if token.nesting >= 0 and token.map is not None and token.type not in _WITHOUT_PLACE | {"inline"}:
            shown = item if token.hidden and item is not None else token  # a tight list shows no paragraphs
            first, last = token.map[0] + 1, max(token.map[0] + 1, token.map[1])
            if marked and first <= marked.last and last >= marked.first and token.type in _LEAVES:
                shown.attrJoin("class", "cited")
                first = max(first, marked.first)
            if first not in taken:
                taken.add(first)
                shown.attrSet("id", f"L{first}")
        for child in token.children or ():
            if child.type == "link_open":
                _lead(child, state.env["link"])


def _lead(token: Token, link: LinkTo) -> None:
    target = str(token.attrGet("href") or "")
    token.attrs = {}
    inside = link(target)
    if inside is not None:
        token.attrSet("href", inside)
    elif _outside(target):
        token.attrs = {"href": target, "rel": "noopener noreferrer nofollow"}


def _outside(target: str) -> bool:
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    return parts.scheme in _OUTSIDE and bool(parts.netloc or parts.scheme == "mailto")


def _levels(state: StateCore) -> None:
    """The page has the first two levels of headings for itself, and every block the direction of its own text."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
        if token.nesting == 1 and token.tag in ("p", "li", "td", "th", "h3", "h4", "h5", "h6"):
            token.attrSet("dir", "auto")
        if token.type in ("th_open", "td_open"):
            token.attrs.pop("style", None)


def _image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Its description: a picture from elsewhere tells its server who reads which note, and when."""
    alt = html.escape(tokens[index].content or str(tokens[index].attrGet("src") or ""))
    return f'<span class="picture">{alt}</span>'


def _small(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<small class="quiet">{html.escape(tokens[index].content)}</small>'


def _table_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return '<div class="scroll" tabindex="0"><table>'


def _table_close(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return "</table></div>"


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name == "id":
        return value if tag in _BLOCKS and re.fullmatch(r"L\d{1,7}", value) else None
    if name == "tabindex":
        return "0"
    if name == "class":
        return " ".join(part for part in value.split() if part in _CLASSES) or None
    return value


def _clean(dirty: str) -> str:
    return nh3.clean(
        dirty,
        tags=_TEXT | _PARTS | _TABLE,
        attributes={"*": {"id", "class", "dir"}, "a": {"href", "rel"}, "ol": {"start"}, "div": {"tabindex"}},
        attribute_filter=_attribute,
        url_schemes=set(_OUTSIDE),
        link_rel=None,
        strip_comments=True,
    )
