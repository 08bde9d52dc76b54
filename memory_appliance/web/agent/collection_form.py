"""The form of a collection: what was typed, what is wrong with it, and what it would take from the disk."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.core.errors import Invalid, RuleError
from agents.core.paths import in_workspace
from agents.models import Agent, Collection
from agents.registry.collections import draft_collection
from agents.registry.preview import Preview, preview
from memory_appliance.web.told import refusal

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

KINDS: tuple[tuple[str, StrOrPromise], ...] = (
    ("custom", gettext_lazy("notes")),
    ("sessions", gettext_lazy("conversations: only for private chats of this agent")),
)
ORIGINS: tuple[tuple[str, StrOrPromise], ...] = (
    ("", gettext_lazy("no one in particular")),
    ("owner", gettext_lazy("the owner")),
    ("agent", gettext_lazy("the agent")),
    ("untrusted", gettext_lazy("strangers")),
    ("system", gettext_lazy("this server")),
)
_TEXTS = ("name", "path", "pattern", "ignore", "context", "kind", "origin", "readers")


@dataclass(frozen=True, slots=True)
class CollectionForm:
    """As the page shows it; `errors`: field → what is wrong. `stored` is what is being changed, None for a new one."""

    name: str = ""
    path: str = ""
    pattern: str = "**/*.md"
    ignore: str = ""
    context: str = ""
    kind: str = "custom"
    origin: str = ""
    readers: str = ""
    include_by_default: bool = True
    stored: Collection | None = None
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def globs(self) -> list[str]:
        return [line.strip() for line in self.ignore.splitlines() if line.strip()]

    @property
    def slugs(self) -> set[str]:
        return set(self.readers.replace(",", " ").split())

    @property
    def built_in(self) -> bool:
        """The folder and the pattern of the agent's own memory are fixed."""
        return self.stored is not None and self.stored.kind == Collection.Kind.MEMORY

    @property
    def other_errors(self) -> bool:
        """Something is wrong that has no field of its own to be shown beside."""
        return bool(self.errors.keys() - {"name", "path", "pattern", "ignore", "readers", "context"})

    def refused(self, error: RuleError) -> CollectionForm:
        """With the refusal beside the field that it names."""
        name = {"shared_with": "readers"}.get(error.field, error.field.partition(".")[0])
        return replace(self, errors={name: refusal(error)})


def form_of(collection: Collection, readers: list[str]) -> CollectionForm:
    return CollectionForm(
        name=collection.name,
        path=collection.path,
        pattern=collection.pattern,
        ignore="\n".join(collection.ignore),
        context=collection.context,
        kind=collection.kind,
        origin=collection.origin,
        readers=", ".join(readers),
        include_by_default=collection.include_by_default,
        stored=collection,
    )


def read_form(data: QueryDict, stored: Collection | None) -> CollectionForm:
    texts = {name: data.get(name, "").strip() for name in _TEXTS}
    form = replace(
        CollectionForm(),
        name=texts["name"],
        path=texts["path"],
        pattern=texts["pattern"] or "**/*.md",
        ignore=texts["ignore"],
        context=texts["context"],
        kind=texts["kind"] or "custom",
        origin=texts["origin"],
        readers=texts["readers"],
        include_by_default="include_by_default" in data,
        stored=stored,
    )
    return form if stored is None else replace(form, name=stored.name, kind=stored.kind)


def check_reach(form: CollectionForm, agent: Agent, *, everywhere: bool) -> None:
    """Only owners of the appliance take in, or even look at, folders outside the agent's workspace."""
    unchanged = form.stored is not None and form.path == form.stored.path
    if not everywhere and not unchanged and not in_workspace(agent.workspace, form.path):
        raise Invalid(
            _("The folder is outside this agent's own folder."),
            hint=_("Ask an owner of this server to add it."),
            field="path",
            code="path_not_allowed",
        )


def preview_form(form: CollectionForm, agent: Agent, *, everywhere: bool) -> tuple[CollectionForm, Preview | None]:
    """The look at the disk, or the form with the reason why there is none. Nothing is stored."""
    try:
        check_reach(form, agent, everywhere=everywhere)
        if form.built_in and form.stored is not None:
            form.stored.ignore = draft_collection(agent=agent, path=agent.workspace, ignore=form.globs).ignore
            return form, preview(form.stored)
        if not form.path:
            return form, None
        draft = draft_collection(agent=agent, path=form.path, pattern=form.pattern, ignore=form.globs, kind=form.kind)
    except Invalid as error:
        return form.refused(error), None
    draft.name = form.name
    return form, preview(draft)
