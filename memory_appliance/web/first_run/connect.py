"""/start/connect: a key for the gateway and the snippet to paste there; the key is shown this once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from agents.access.keys import create_key
from agents.access.secrets import Right
from agents.admin import actor_of
from agents.models import Agent
from memory_appliance.web.access import owner_page
from memory_appliance.web.first_run.steps import chosen_agent, steps
from memory_appliance.web.page import answer

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Gateway:
    """What its key may do. `trusted`: it asks as the owner, without naming a chat."""

    name: str
    title: StrOrPromise
    text: StrOrPromise
    rights: tuple[Right, ...]
    trusted: bool = False

    @property
    def template(self) -> str:
        return f"first_run/snippets/{self.name}.txt"


GATEWAYS: tuple[Gateway, ...] = (
    Gateway(
        "claude-code",
        _("Claude Code"),
        _("Run this once in a terminal. Claude Code can then search memory and add notes."),
        ("read", "write"),
        trusted=True,
    ),
    Gateway(
        "claude-code-hook",
        _("Claude Code, with recall before each prompt"),
        _("Install the plugin: recall before each prompt, the tools, transcripts and commands."),
        ("read", "write"),
        trusted=True,
    ),
    Gateway(
        "openclaw",
        _("OpenClaw"),
        _("Install the plugin: OpenClaw then remembers with this server instead of its own memory."),
        ("read", "write"),
    ),
    Gateway(
        "mcp",
        _("Another MCP client"),
        _("Add this to the client's list of servers."),
        ("read", "write"),
        trusted=True,
    ),
    Gateway(
        "openai",
        _("A chat app"),
        _("Set this address and key in Open WebUI, LibreChat or another app that speaks OpenAI's API."),
        ("read", "write"),
    ),
    Gateway(
        "python",
        _("Python"),
        _("Install the client package. It has adapters for LangChain, LlamaIndex and code written for mem0."),
        ("read", "write"),
        trusted=True,
    ),
    Gateway("curl", _("A script"), _("Any program can call it over HTTP."), ("read",), trusted=True),
)


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def connect(request: HttpRequest) -> HttpResponse:
    """A POST makes the key. The page that shows it is no address: a reload asks before it makes another."""
    agent = chosen_agent(request)
    if agent is None:
        return HttpResponseRedirect(reverse("start-agent"))
    gateway = next((one for one in GATEWAYS if one.name == request.GET.get("gateway")), GATEWAYS[0])
    key = _new_key(request, agent, gateway) if request.method == "POST" else ""
    context = {
        "agent": agent,
        "gateways": GATEWAYS,
        "gateway": gateway,
        "key": key,
        "shown_key": key or "…",
        "server": request.build_absolute_uri(reverse("overview")).rstrip("/"),
        "steps": steps("connect", agent),
        "chat_proxy": _chat_proxy(request),
        "chat_proxy_on": bool(settings.OPTIONS.chat_proxy_upstream_url),
    }
    return answer(request, "first_run/connect.html", context)


def _chat_proxy(request: HttpRequest) -> str:
    """Where the chat proxy listens, seen from the reader's browser."""
    server = urlsplit(request.build_absolute_uri("/"))
    host = f"[{server.hostname}]" if ":" in (server.hostname or "") else server.hostname
    return f"http://{host}:{settings.OPTIONS.chat_proxy_port}"


def _new_key(request: HttpRequest, agent: Agent, gateway: Gateway) -> str:
    made = create_key(
        actor=actor_of(request),
        name=f"{gateway.name} ({agent.slug})",
        agents=[agent.slug],
        rights=list(gateway.rights),
        trusted=gateway.trusted,
    )
    return made.secret
