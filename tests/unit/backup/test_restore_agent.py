"""restore_agent(): one agent comes back with all of its rows, and nobody else notices."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from agents.access.sharing import share_collection
from agents.backup import BackupError, find_backup, make_backup
from agents.backup.restore import Restored
from agents.backup.restore_agent import restore_agent
from agents.backup.rows import COPIED, LEFT, LINKED, POINTED_AT
from agents.core.actors import CLI, Caller
from agents.core.errors import Conflict
from agents.files.notes import note
from agents.models import Agent, AgentRole, ApiKey, Transcript, WorkspaceWrite
from agents.registry.agents import delete_agent
from agents.registry.collections import create_collection
from agents.transcripts import store_lines
from agents.workspace import append
from tests import cast

CHAT = "agent:al:telegram:direct:7"


def back(*, force: bool = False) -> Restored:
    return restore_agent(find_backup("latest"), "al", actor=CLI, force=force)


def memory(agent: Agent) -> Path:
    return Path(agent.workspace) / "MEMORY.md"


def test_a_deleted_agent_comes_back(al: Agent, backups: Path) -> None:
    make_backup()
    delete_agent(actor=cast.OWNER, agent=al)
    shutil.rmtree(al.workspace)
    back()
    again = Agent.objects.get(slug="al")
    assert memory(again).read_text().endswith("under the blue pot.\n")
    assert again.scope_rules.count() > 0
    assert again.collections.get().name == "memory"


def test_an_agent_that_is_there_is_left_alone_without_force(al: Agent, backups: Path) -> None:
    make_backup()
    memory(al).write_text("newer\n")
    with pytest.raises(BackupError, match="there already"):
        back()
    assert memory(al).read_text() == "newer\n"


def test_with_force_its_state_of_now_is_kept(al: Agent, backups: Path) -> None:
    make_backup()
    memory(al).write_text("newer\n")
    Agent.objects.filter(pk=al.pk).update(name="Newer")
    kept = back(force=True).kept
    assert kept is not None
    assert (kept / "workspaces/al/MEMORY.md").read_text() == "newer\n"
    agents = [row for row in json.loads((kept / "rows.json").read_text()) if row["model"] == "agents.agent"]
    assert agents[0]["fields"]["name"] == "Newer"
    assert Agent.objects.get(slug="al").name == ""


def test_a_write_that_waited_for_the_restore_is_refused_in_words(al: Agent, backups: Path) -> None:
    """Its rows are others now: it is to be asked for again, and nothing of it is stored."""
    make_backup()
    back(force=True)
    for write in (
        lambda: append(agent=al, actor=cast.OWNER, path="MEMORY.md", text="The boiler hums.", origin="owner"),
        lambda: store_lines(agent=al, session_key=CHAT, lines=[b'{"role":"user","content":"The boiler hums."}']),
    ):
        with pytest.raises(Conflict, match="restored or deleted meanwhile") as refused:
            write()
        assert refused.value.code == "workspace_busy"
    assert "hums" not in memory(al).read_text()
    note(agent=Agent.objects.get(slug="al"), caller=Caller(cast.OWNER), text="The boiler hums.", target="memory")


def test_files_of_a_deleted_agent_count_as_there(al: Agent, backups: Path) -> None:
    make_backup()
    delete_agent(actor=cast.OWNER, agent=al)  # its Markdown stays
    with pytest.raises(BackupError, match="there already"):
        back()


def test_other_agents_are_untouched(al: Agent, al_2: Agent, backups: Path) -> None:
    make_backup()
    memory(al_2).write_text("# Safe\n\n- The safe opens with 1234.\n")
    back(force=True)
    assert "1234" in memory(al_2).read_text()
    assert Agent.objects.get(slug="al-2").pk == al_2.pk


def test_history_and_times_are_those_of_then(al: Agent, backups: Path) -> None:
    note(agent=al, caller=Caller(cast.OWNER, trusted=True), text="The boiler was serviced.")
    made = WorkspaceWrite.objects.get()
    make_backup()
    back(force=True)
    again = WorkspaceWrite.objects.get()
    assert (again.at, again.after, again.agent.slug) == (made.at, made.after, "al")


def test_turns_are_known_again_so_that_none_is_stored_twice(al: Agent, backups: Path) -> None:
    turns = [b'{"id":"1","role":"user","content":"where is the key?"}']
    store_lines(agent=al, session_key=CHAT, lines=turns)
    make_backup()
    back(force=True)
    again = Agent.objects.get(slug="al")
    assert Transcript.objects.get().agent == again
    assert store_lines(agent=again, session_key=CHAT, lines=turns).duplicates == 1


def test_shares_and_roles_return_where_the_other_side_is(al: Agent, al_2: Agent, backups: Path, data_dir: Path) -> None:
    (data_dir / "handbook").mkdir()
    handbook = create_collection(actor=cast.OWNER, agent=al, name="handbook", path=str(data_dir / "handbook"))
    share_collection(actor=cast.OWNER, collection=handbook, readers=["al-2"])
    AgentRole.objects.create(user=User.objects.create_user("kim"), agent=al, role="view")
    make_backup()
    back(force=True)
    again = Agent.objects.get(slug="al")
    assert [share.reader.slug for share in again.collections.get(name="handbook").shares.all()] == ["al-2"]
    assert again.roles.get().user.username == "kim"


def test_keys_do_not_come_back(al: Agent, helper: cast.Person, backups: Path) -> None:
    make_backup()
    ApiKey.objects.all().delete()
    back(force=True)
    assert not ApiKey.objects.exists()


def test_a_folder_that_another_agent_has_now_is_not_given_to_two(al: Agent, al_2: Agent, backups: Path) -> None:
    make_backup()
    delete_agent(actor=cast.OWNER, agent=al)
    Agent.objects.filter(pk=al_2.pk).update(workspace=al.workspace)
    with pytest.raises(BackupError, match="belongs to agent al-2"):
        back(force=True)
    assert not Agent.objects.filter(slug="al").exists()
    assert memory(al).exists()


def test_an_agent_that_is_not_in_the_backup_is_named(backups: Path) -> None:
    make_backup()
    with pytest.raises(BackupError, match="has no agent al"):
        back()


def test_every_table_of_an_agent_is_copied_or_left_on_purpose() -> None:
    known = {*COPIED, *LEFT, *LINKED}
    pointing = {
        relation.related_model
        for model in (Agent, *COPIED)
        for relation in model._meta.related_objects
    }  # fmt: skip
    assert pointing - known == set()


def test_tables_that_others_point_to_are_numbered_one_by_one() -> None:
    fields = [field for model in COPIED for field in model._meta.concrete_fields if field.is_relation]
    assert {field.related_model for field in fields} <= {Agent, *POINTED_AT}
