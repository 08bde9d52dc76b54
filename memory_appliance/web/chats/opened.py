"""opened(): the chat of an address, for those who may read it: as its file in the chats' collection would be read."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from agents.access.sessions import canonical
from agents.memory.opening import gate
from agents.models import Collection, Transcript
from agents.transcripts.files import sessions_dir
from agents.transcripts.store import find_transcript
from memory_appliance.web.access import Access


def may_read(access: Access) -> bool:
    """Without the collection, which an admin may have removed, chats are for admins, who may add it again."""
    if not gate(access.agent, access.caller, None, "file").allowed:
        return False
    folder = str(sessions_dir(access.agent))
    kept = access.agent.collections.filter(kind=Collection.Kind.SESSIONS, path=folder)
    return access.may_admin or kept.exists()


def opened(request: HttpRequest, access: Access) -> Transcript:
    """Raises `PermissionDenied`; Http404 when there is no such chat."""
    given = request.POST.get("session", "") or request.GET.get("session", "")
    transcript = find_transcript(access.agent, canonical(given)) if given.isprintable() else None
    if transcript is None:
        raise Http404
    if not may_read(access):
        raise PermissionDenied
    transcript.agent = access.agent
    return transcript
