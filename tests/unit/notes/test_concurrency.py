"""Many writers at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from agents.models import WorkspaceWrite
from tests.unit.notes.conftest import Desk


@pytest.mark.django_db(transaction=True)
def test_fifty_writers_lose_nothing_and_know_their_lines(desk: Desk) -> None:
    def write(number: int) -> tuple[int, str]:
        try:
            return desk.note(f"Writer {number} was here.", index=False).start_line, f"- Writer {number} was here."
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        places = dict(pool.map(write, range(50)))
    assert {number + 1: line for number, line in enumerate(desk.text().splitlines())} == places
    assert WorkspaceWrite.objects.filter(state="done").count() == 50


@pytest.mark.django_db(transaction=True)
def test_the_same_note_from_many_writers_is_written_once(desk: Desk) -> None:
    def write(_: int) -> bool:
        try:
            return desk.note("Buy a ladder.", index=False).duplicate
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(write, range(8))) == [False, *[True] * 7]
    assert desk.text() == "- Buy a ladder.\n"
