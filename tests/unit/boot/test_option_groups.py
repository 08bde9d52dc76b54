"""Options are shown in groups, each in one."""

from __future__ import annotations

from memory_appliance.settings.groups import GROUPS
from memory_appliance.settings.options import Options

EVERYDAY = 45


def test_every_option_is_in_one_group() -> None:
    names = [name for group in GROUPS for name in (*group.fields, *group.advanced)]
    assert sorted(names) == sorted(Options.model_fields)


def test_what_few_need_is_apart() -> None:
    assert sum(len(group.fields) for group in GROUPS) <= EVERYDAY
