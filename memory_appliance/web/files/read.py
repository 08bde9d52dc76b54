"""The reader: a file as it reads or as its source, with the lines of a citation marked; and the raw text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from agents.files import documents
from agents.files.documents import Document
from agents.memory.reads import Denied
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.files.browse import Crumb, Tree, crumbs, open_folder
from memory_appliance.web.files.markdown import TooMuch, render
from memory_appliance.web.files.places import Lines, lines_of, linked, reader_address
from memory_appliance.web.files.source import SourcePage, source_page
from memory_appliance.web.page import answer
from search.documents.lines import count_lines
from search.file_types import file_type

RAW_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"

BESIDE = 60
"""Files shown beside the one that is read; the rest of the folder is a click away."""

Look = Literal["read", "source"]


@dataclass(frozen=True, slots=True)
class Reader:
    """One file on its page: `text` when it is rendered, else `source`. `too_much`: it could not be rendered."""

    document: Document
    name: str
    crumbs: tuple[Crumb, ...]
    marked: Lines | None
    look: Look
    total: int
    text: SafeString | None = None
    source: SourcePage | None = None
    too_much: bool = False

    @property
    def beyond(self) -> bool:
        """The marked lines lie behind the end of the file: it was changed since it was cited."""
        return self.marked is not None and self.marked.first > self.total


@agent_page("view")
@require_safe
def read(request: HttpRequest, access: Access) -> HttpResponse:
    document = opened(access, request.GET.get("path", ""))
    reader = _reader(access, document, request)
    context = {"access": access, "reader": reader, "tree": _tree(access, document.path, request.GET.get("folder"))}
    return answer(request, "files/file.html", context)


@agent_page("view")
@require_safe
def raw(request: HttpRequest, access: Access) -> HttpResponse:
    """The bytes as text, which no browser may take for anything else or run."""
    document = opened(access, request.GET.get("path", ""))
    name = document.path.rpartition("/")[2]
    response = HttpResponse(document.data, content_type="text/plain; charset=utf-8")
    response["Content-Security-Policy"] = RAW_POLICY
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Disposition"] = content_disposition_header(False, name) or "inline"
    response["Cache-Control"] = "no-store"
    return response


def opened(access: Access, path: str) -> Document:
    found = documents.open_document(agent=access.agent, caller=access.caller, path=path)
    if isinstance(found, Denied):
        raise PermissionDenied
    return found


def _reader(access: Access, document: Document, request: HttpRequest) -> Reader:
    marked = lines_of(request.GET.get("lines", ""))
    folder, _, name = document.path.rpartition("/")
    kind = file_type(name)
    wanted = request.GET.get("look") or ("source" if kind is not None and kind.read == "text" else "")
    total = count_lines(document.text)
    frame = Reader(document, name, crumbs(folder), marked, "source", total)
    too_much = False
    if wanted != "source":
        try:
            text = render(document.text, link=lambda target: _link(access, document, target), marked=marked)
        except TooMuch:
            too_much = True
        else:
            return replace(frame, look="read", text=text)
    start = request.GET.get("from", "")
    first = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 0
    return replace(frame, source=source_page(document.text, start=first, marked=marked), too_much=too_much)


def _link(access: Access, document: Document, target: str) -> str | None:
    place = linked(target, path=document.path, prefix=document.prefix)
    return reader_address(access.agent.slug, place.path, place.lines) if place else None


def _tree(access: Access, path: str, folder: str | None) -> Tree:
    """The files beside this one; or another folder, for whoever looks around meanwhile."""
    shown = path.rpartition("/")[0] if folder is None else folder.strip("/")[:4096]
    return open_folder(access.agent, shown, limit=BESIDE)
