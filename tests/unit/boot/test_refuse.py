"""What a start must not touch is refused with the way out."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db.migrations.recorder import MigrationRecorder

from memory_appliance.boot.refuse import refuse_unfit, unknown_migrations
from memory_appliance.boot.say import LaunchFailed

pytestmark = pytest.mark.django_db


def test_a_folder_of_this_version_is_fit(data_dir: Path) -> None:
    assert unknown_migrations() == []
    refuse_unfit(data_dir)


def test_a_folder_of_a_newer_version_is_refused(data_dir: Path) -> None:
    MigrationRecorder.Migration.objects.create(app="agents", name="9999_from_the_future")
    with pytest.raises(LaunchFailed, match=r"newer version.*agents\.9999_from_the_future") as caught:
        refuse_unfit(data_dir)
    assert "manage.py backup list" in caught.value.hint


def test_an_app_that_is_not_installed_any_more_is_no_newer_version(data_dir: Path) -> None:
    MigrationRecorder.Migration.objects.create(app="an_old_package", name="0001_initial")
    refuse_unfit(data_dir)
