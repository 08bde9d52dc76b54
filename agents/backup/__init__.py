"""Backups: a store of blocks named after their content, a list per backup of what it holds, and the ways back.

```
backups/blocks/ab/cdef…      256 KiB of some file, compressed, named after the SHA-256 of what it holds
backups/<name>.json          one backup: what, when, and which blocks hold the list of its files; written last
```
"""

from agents.backup.catalog import find_backup, list_backups
from agents.backup.make import make_backup
from agents.backup.remove import remove_backup
from agents.backup.retention import thin_out
from agents.backup.values import Backup, BackupError, Progress, Verified
from agents.backup.verify import verify_backup

__all__ = [
    "Backup",
    "BackupError",
    "Progress",
    "Verified",
    "find_backup",
    "list_backups",
    "make_backup",
    "remove_backup",
    "thin_out",
    "verify_backup",
]
