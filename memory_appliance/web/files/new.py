"""A new note, by the same rules as an agent's own: into today's log, the curated files, or a file of its own."""

from __future__ import annotations

import secrets

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from agents.core.errors import Conflict, Invalid
from agents.files.notes import Noted, note
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.files.places import Lines, reader_address
from memory_appliance.web.page import answer
from memory_appliance.web.told import refusal

TARGETS = (
    ("daily", _("Today's notes")),
    ("memory", _("MEMORY.md: every new chat starts with it")),
    ("user", _("USER.md: about the person")),
    ("file", _("Another file")),
)
_FIELDS = {"text": "text", "target": "path", "path": "path", "importance": "importance", "triggers": "triggers"}


class NoteForm(forms.Form):
    """`key` makes a form that is sent twice one note."""

    text = forms.CharField(label=_("Note"), widget=forms.Textarea(attrs={"rows": 6, "dir": "auto"}), strip=False)
    target = forms.ChoiceField(label=_("Save to"), choices=TARGETS, initial="daily")
    path = forms.CharField(
        label=_("File"),
        required=False,
        max_length=1000,
        help_text=_("For example memory/garden.md. Only for another file."),
    )
    importance = forms.IntegerField(
        label=_("Importance"),
        required=False,
        min_value=1,
        max_value=10,
        help_text=_("1 to 10. Empty: neutral."),
    )
    triggers = forms.CharField(
        label=_("Trigger phrases"), required=False, max_length=500,
        help_text=_("Separated by commas. A message with one of them recalls this note at once. Only in "
"MEMORY.md and USER.md."),
    )  # fmt: skip
    key = forms.CharField(widget=forms.HiddenInput, max_length=200)

    def clean(self) -> dict[str, object]:
        given = super().clean() or {}
        if given.get("target") == "file" and not given.get("path"):
            self.add_error("path", gettext("Name the file, for example memory/garden.md."))
        return given


@agent_page("edit")
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, access: Access) -> HttpResponse:
    if request.method != "POST":
        path = request.GET.get("path", "")[:1000]
        initial = {"key": secrets.token_hex(16), "target": "file" if path else "daily", "path": path}
        return _page(request, access, NoteForm(initial=initial, label_suffix=""))
    form = NoteForm(request.POST, label_suffix="")
    noted = _write(access, form) if form.is_valid() else None
    if noted is None:
        return _page(request, access, form, status=422)
    _tell(request, noted)
    where = noted.appended
    return redirect(reader_address(access.agent.slug, where.path, Lines(where.start_line, where.end_line)))


def _write(access: Access, form: NoteForm) -> Noted | None:
    given = form.cleaned_data
    try:
        return note(
            agent=access.agent,
            caller=access.caller,
            text=given["text"].replace("\r\n", "\n"),
            target=given["path"] if given["target"] == "file" else given["target"],
            importance=given["importance"],
            triggers=[part.strip() for part in given["triggers"].split(",") if part.strip()],
            idempotency_key=f"page:{given['key']}",
        )
    except (Invalid, Conflict) as error:
        form.add_error(_FIELDS.get(error.field), refusal(error))
        return None


def _tell(request: HttpRequest, noted: Noted) -> None:
    if noted.appended.duplicate:
        messages.info(request, gettext("Already noted. Nothing was written."))
    elif noted.indexed:
        messages.success(request, gettext("Note added. Search finds its words now."))
    else:
        messages.success(request, gettext("Note added. Search finds it within seconds."))
    for warning in noted.warnings:
        messages.warning(request, warning)


def _page(request: HttpRequest, access: Access, form: NoteForm, *, status: int = 200) -> HttpResponse:
    return answer(request, "files/new.html", {"access": access, "form": form}, status=status)
