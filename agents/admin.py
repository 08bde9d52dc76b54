"""Django's admin for the control plane: reads the tables, writes through the services, shows no secret."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from agents.access.keys import revoke_key
from agents.core.actors import Actor
from agents.core.agent_settings import changed_settings
from agents.core.errors import RuleError
from agents.core.paths import checked_folder
from agents.jobs.cancel import cancel_run
from agents.models import Agent, AgentRole, ApiKey, AuditEvent, Collection, Run, ScopeRule, WorkerHeartbeat
from agents.registry.agents import create_agent, delete_agent, request_update, update_agent
from agents.registry.collections import create_collection, delete_collection, update_collection
from search.errors import SearchError

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
    Inline = admin.TabularInline[Any, Any]
    Form = forms.ModelForm[Any]
else:
    Admin, Inline, Form = admin.ModelAdmin, admin.TabularInline, forms.ModelForm

admin.site.site_header = admin.site.site_title = "Memory Appliance"
admin.site.index_title = "Control plane"
admin.site.site_url = settings.SESSION_COOKIE_PATH


def actor_of(request: HttpRequest) -> Actor:
    return Actor(f"user:{request.user.get_username()}", request.META.get("REMOTE_ADDR", ""))


def checked(check: Callable[[], Any]) -> Any:
    """What `check` returns; what the rules refuse becomes an error of the form's field."""
    try:
        return check()
    except RuleError as error:
        raise ValidationError(f"{error.message} {error.hint}") from error


class ServiceAdmin(Admin):
    """A refusal that only the service can see (a race, a busy index) is shown in words, and nothing is changed."""

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._in_words(request, lambda: super(ServiceAdmin, self).changeform_view(request, *args, **kwargs))

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._in_words(request, lambda: super(ServiceAdmin, self).delete_view(request, *args, **kwargs))

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._in_words(request, lambda: super(ServiceAdmin, self).changelist_view(request, *args, **kwargs))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for row in queryset:
            self.delete_model(request, row)

    def _in_words(self, request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
        try:
            return view()
        except (RuleError, SearchError) as error:
            messages.error(request, f"{error.message} {error.hint}".strip())
            return HttpResponseRedirect(request.get_full_path())


class ReadOnlyAdmin(Admin):
    """History: nobody writes it by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class AgentForm(Form):
    workspace = forms.CharField(
        required=False, help_text="Absolute folder; left empty, `workspaces/<slug>` in the data folder."
    )

    class Meta:
        model = Agent
        fields = ("slug", "name", "workspace", "timezone", "settings")

    def clean_workspace(self) -> str:
        text = self.cleaned_data["workspace"]
        return str(checked(lambda: checked_folder(text, field="workspace"))) if text else self.instance.workspace

    def clean_settings(self) -> dict[str, Any]:
        given = self.cleaned_data["settings"] or {}
        if not isinstance(given, dict):
            raise ValidationError('Settings are a JSON object such as {"max_results": 8}.')
        return dict(checked(lambda: changed_settings({}, given)).stored())


class ScopeRuleInline(Inline):
    """Rules are replaced as a whole, through the API: here they are shown."""

    model = ScopeRule
    fields = readonly_fields = ("position", "action", "match")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Agent)
class AgentAdmin(ServiceAdmin):
    form = AgentForm
    inlines = (ScopeRuleInline,)
    list_display = ("slug", "name", "workspace", "last_update_at", "last_error")
    search_fields = ("slug", "name")
    readonly_fields = ("scope_default", "last_update_at", "last_error", "pending_embeddings", "created_at")
    actions = ("update_now",)

    def get_readonly_fields(self, request: HttpRequest, obj: Agent | None = None) -> tuple[str, ...]:
        return ("slug", *self.readonly_fields) if obj else ()

    def get_inlines(self, request: HttpRequest, obj: Agent | None) -> Any:
        return self.inlines if obj else ()

    def save_model(self, request: HttpRequest, obj: Agent, form: Any, change: bool) -> None:
        values = {name: form.cleaned_data[name] for name in form.changed_data if name in form.cleaned_data}
        if not change:
            values = {name: value for name, value in values.items() if value != ""}
            obj.pk = create_agent(actor=actor_of(request), **values).pk
            return
        if "settings" in values:  # what was taken out of the JSON goes back to its default
            values["settings"] = dict.fromkeys(form.initial["settings"]) | values["settings"]
        update_agent(actor=actor_of(request), agent=obj, **values)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What goes with an agent, its history and its built-in collection, cannot be deleted by itself."""
        found, counts, _, protected = super().get_deleted_objects(objs, request)
        return found, counts, set(), protected

    def delete_model(self, request: HttpRequest, obj: Agent) -> None:
        delete_agent(actor=actor_of(request), agent=obj)

    @admin.action(description="Update the index now")
    def update_now(self, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
        for agent in queryset:
            request_update(actor=actor_of(request), agent=agent)
        self.message_user(request, "The updates start within seconds.")


class CollectionForm(Form):
    class Meta:
        model = Collection
        fields = ("agent", "name", "path", "pattern", "ignore", "context", "kind", "include_by_default")

    def clean_ignore(self) -> list[str]:
        given = self.cleaned_data["ignore"] or []
        if not isinstance(given, list) or not all(isinstance(glob, str) for glob in given):
            raise ValidationError('A JSON list of patterns such as ["drafts/**"].')
        return given


@admin.register(Collection)
class CollectionAdmin(ServiceAdmin):
    form = CollectionForm
    list_display = ("name", "agent", "kind", "path", "pattern", "include_by_default")
    list_filter = ("agent", "kind")
    list_select_related = ("agent",)

    def get_readonly_fields(self, request: HttpRequest, obj: Collection | None = None) -> tuple[str, ...]:
        if obj is None:
            return ()
        built_in = obj.kind == Collection.Kind.MEMORY
        return ("agent", "name", "kind", *(("path", "pattern") if built_in else ()))

    def save_model(self, request: HttpRequest, obj: Collection, form: Any, change: bool) -> None:
        if change:
            values = {name: form.cleaned_data[name] for name in form.changed_data}
            update_collection(actor=actor_of(request), collection=obj, **values)
        else:
            obj.pk = create_collection(actor=actor_of(request), **form.cleaned_data).pk

    def delete_model(self, request: HttpRequest, obj: Collection) -> None:
        delete_collection(actor=actor_of(request), collection=obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        built_in = isinstance(obj, Collection) and obj.kind == Collection.Kind.MEMORY
        return not built_in and super().has_delete_permission(request, obj)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """Keys are made through the API, which shows the secret once; here they can be looked at and revoked."""

    list_display = ("name", "agents", "rights", "trusted", "expires_at", "revoked_at", "last_used_at", "last_address")
    fields = (*list_display, "created_at")
    actions = ("revoke",)

    @admin.action(description="Revoke", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        for key in queryset:
            revoke_key(actor=actor_of(request), key=key)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("agents.delete_apikey")


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("id", "agent", "kind", "state", "done", "total", "unit", "error", "created_at", "finished_at")
    list_filter = ("state", "kind", "agent")
    list_select_related = ("agent",)
    actions = ("cancel",)

    @admin.action(description="Cancel", permissions=["cancel"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Run]) -> None:
        for run in queryset.filter(state__in=Run.ACTIVE).select_related("agent"):
            cancel_run(actor=actor_of(request), run=run)

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("agents.change_run")


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "action", "target", "agent_slug", "address")
    list_filter = ("action",)
    search_fields = ("actor", "target", "agent_slug")
    date_hierarchy = "at"


class RoleInline(Inline):
    model = AgentRole
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


admin.site.unregister((User, Group))


@admin.register(User)
class PersonAdmin(ReadOnlyAdmin):
    """People are added and changed by the API, which keeps an owner and writes the audit log."""

    list_display = ("username", "is_superuser", "is_active", "last_login")
    fields = ("username", "is_superuser", "is_active", "last_login", "date_joined")
    inlines = (RoleInline,)


@admin.register(WorkerHeartbeat)
class WorkerHeartbeatAdmin(ReadOnlyAdmin):
    list_display = ("name", "at", "detail")
