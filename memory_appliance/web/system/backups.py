"""Backups: which there are, make one now, read one back, remove one; bringing one back is a command, which is shown."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from agents.admin import actor_of
from agents.backup import Backup, Progress, find_backup, list_backups
from agents.backup.catalog import backup_dir
from agents.backup.requests import remove_backup, request_backup, verify_backup
from agents.core.actors import Actor
from agents.models import Run
from memory_appliance.chores import Chore, ChoreState, Report
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer
from workers.dispatch import dispatch

VERIFY = Chore("verify-backup")
MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class BackupsPage:
    """`run`: the one that is being made, or else the last one. `check`: the last look at one."""

    backups: tuple[Backup, ...]
    more: int
    folder: str
    hours: int
    keep: tuple[int, int, int]
    run: Run | None
    check: ChoreState | None

    @property
    def command(self) -> str:
        """How this very server's commands are called on its machine."""
        return f"{sys.executable} {settings.BASE_DIR / 'manage.py'}"

    @property
    def newest_whole(self) -> Backup | None:
        """The one that a whole server comes back from."""
        return next((backup for backup in self.backups if not backup.control_only), None)

    @property
    def busy(self) -> bool:
        making = self.run is not None and self.run.state in Run.ACTIVE
        return making or (self.check is not None and self.check.running)


@owner_page
@require_safe
def backups(request: HttpRequest) -> HttpResponse:
    found = list_backups()
    page = BackupsPage(
        backups=found[:MOST_SHOWN],
        more=max(0, len(found) - MOST_SHOWN),
        folder=str(backup_dir()),
        hours=settings.MEMORY_BACKUP_HOURS,
        keep=(
            settings.MEMORY_BACKUP_KEEP_DAILY,
            settings.MEMORY_BACKUP_KEEP_WEEKLY,
            settings.MEMORY_BACKUP_KEEP_MONTHLY,
        ),
        run=Run.objects.filter(kind=Run.Kind.BACKUP).first(),
        check=VERIFY.state(),
    )
    return answer(request, "system/backups.html", {"page": page})


@owner_page
def make(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":  # as after signing in on the way
        return redirect("backups")
    if not dispatch(request_backup(actor=actor_of(request))):
        messages.info(request, _("The message broker doesn't respond. The backup starts when it is back."))
    return redirect("backups")


@owner_page
def verify(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return redirect("backups")
    name = find_backup(request.POST.get("name", "")).name
    actor = actor_of(request)
    if VERIFY.start(lambda report: read_back(report, actor, name), subject=name) is None:
        messages.info(request, _("A backup is already being verified."))
    return redirect("backups")


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest) -> HttpResponse:
    wanted = (request.POST or request.GET).get("name", "")
    if not wanted:
        return redirect("backups")
    name = find_backup(wanted).name
    if request.method == "POST" and request.POST.get("confirmed") == "yes":
        remove_backup(actor=actor_of(request), name=name)
        messages.success(request, _("Backup %(name)s deleted.") % {"name": name})
        return redirect("backups")
    context = {
        "heading": _("Delete the backup %(name)s?") % {"name": name},
        "will": [_("This backup can no longer be restored."), _("Disk space that only it uses is freed.")],
        "will_not": [_("Other backups stay complete."), _("The server's own data isn't changed.")],
        "action": _("Delete backup"),
        "back": reverse("backups"),
        "fields": {"name": name},
    }
    return answer(request, "confirm.html", context)


def read_back(report: Report, actor: Actor, name: str) -> None:
    """Every block of the backup; what is wrong with it becomes a line each."""

    def told(progress: Progress) -> None:
        report.doing(f"{progress.done} / {progress.total}")

    verified = verify_backup(actor=actor, name=name, progress=told)
    for problem in verified.problems:
        report.line({"problem": problem})
