"""The doctor's page: findings as they come, the worst first."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from agents.models import AuditEvent
from memory_appliance.chores import Report
from memory_appliance.web.system.doctor import DOCTOR, look
from tests import cast
from tests.unit.web.system.test_pages import text_of


def finding(level: str, title: str, seen: str = "Seen.", todo: str = "") -> dict[str, object]:
    return {"id": title, "title": title, "level": level, "seen": seen, "todo": todo, "seconds": 0.1}


def told(*lines: dict[str, object]) -> None:
    def work(report: Report) -> None:
        for line in lines:
            report.line(line)

    thread = DOCTOR.start(work)
    assert thread is not None
    thread.join(10)


def test_before_the_first_look_the_page_offers_one(admin: Client, data_dir: Path) -> None:
    text = text_of(admin.get("/system/doctor"))
    assert "No check yet" in text and "Full check" in text


def test_the_worst_stands_first_with_what_to_do(admin: Client, data_dir: Path) -> None:
    told(finding("ok", "Clock"), finding("skipped", "Web"), finding("problem", "Disk", "Full.", "Make room."))
    text = text_of(admin.get("/system/doctor"))
    assert text.index("Disk problem Full. Make room.") < text.index("Clock OK Seen.") < text.index("Web skipped")
    assert "Some checks need attention" in text


def test_when_all_is_well_the_page_says_so(admin: Client, data_dir: Path) -> None:
    told(finding("ok", "Clock"), finding("skipped", "Web"))
    assert "All checks passed." in text_of(admin.get("/system/doctor"))


def test_what_was_seen_is_escaped(admin: Client, data_dir: Path) -> None:
    told(finding("warning", "<b>x</b>", "<script>y", "\x1b[31m"))
    page = admin.get("/system/doctor").content.decode()
    assert "<b>x" not in page and "<script>y" not in page and "\x1b" not in page


@pytest.mark.django_db
def test_a_quick_look_really_looks(data_dir: Path, tmp_path: Path) -> None:
    report = Report(tmp_path / "state.json", "")
    look(report, cast.OWNER, quick=True)
    ids = [str(line["id"]) for line in report.state.lines]
    assert "versions" in ids and any(one.startswith("disk") for one in ids) and report.state.now
    assert AuditEvent.objects.get().action == "doctor.run"
