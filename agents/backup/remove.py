"""remove_backup(): forget one backup and the blocks that no other one needs."""

from __future__ import annotations

from pathlib import Path

from agents.backup.blocks import BlockStore
from agents.backup.catalog import backup_dir, find_backup, store_lock, unwritable, used_blocks


def remove_backup(name: str, *, folder: Path | None = None) -> int:
    """Returns the bytes freed. Raises `BackupError`."""
    folder = folder or backup_dir()
    with store_lock(folder):
        try:
            find_backup(name, folder).path.unlink()
            return BlockStore(folder).drop_unused(used_blocks(folder))
        except OSError as error:
            raise unwritable(folder, error) from error
