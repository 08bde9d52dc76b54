"""`python -m memory_appliance.launch.scale_keys GIVEN KEYS PASSWORD`: the secrets of docker-compose.scale.yml.

What the owner has given (docker/secrets) goes into KEYS, for the servers. PostgreSQL's password is theirs or made once;
it alone goes into PASSWORD, for PostgreSQL.
"""

from __future__ import annotations

import secrets
import shutil
import sys
from pathlib import Path


def lay_out(given: Path, keys: Path, own: Path) -> None:
    password = own / "postgres_password"
    for old in keys.iterdir():
        old.unlink()
    for secret in given.iterdir():
        if secret.is_file() and secret.suffix != ".md" and not secret.name.startswith("."):
            shutil.copyfile(secret, keys / secret.name)
            (keys / secret.name).chmod(0o600)
    if (given / password.name).is_file():
        shutil.copyfile(given / password.name, password)
    elif not password.exists():
        beside = password.with_suffix(".part")
        beside.write_text(secrets.token_hex(24))
        beside.rename(password)
    if not (keys / "database_url").exists():
        (keys / "database_url").write_text(f"postgres://memory:{password.read_text().strip()}@postgres/memory")


if __name__ == "__main__":
    lay_out(*map(Path, sys.argv[1:]))
