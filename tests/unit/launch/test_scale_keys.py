"""Secrets of several servers in containers: those given, and a password of PostgreSQL that stays."""

from __future__ import annotations

from pathlib import Path

from memory_appliance.launch.scale_keys import lay_out


def test_a_password_is_made_once_and_given_secrets_are_handed_on(tmp_path: Path) -> None:
    given, keys, own = (tmp_path / name for name in ("given", "keys", "own"))
    for folder in (given, keys, own):
        folder.mkdir()
    (given / "README.md").write_text("not a secret")
    (given / "memory_openai_api_key").write_text("sk-1")
    lay_out(given, keys, own)
    url, password = (keys / "database_url").read_text(), (own / "postgres_password").read_text()
    assert password in url and len(password) == 48
    assert {path.name for path in keys.iterdir()} == {"database_url", "memory_openai_api_key"}

    (given / "memory_openai_api_key").unlink()
    lay_out(given, keys, own)
    assert (keys / "database_url").read_text() == url and not (keys / "memory_openai_api_key").exists()

    (given / "postgres_password").write_text("mine")
    (given / "database_url").write_text("postgres://elsewhere/memory")
    lay_out(given, keys, own)
    assert (own / "postgres_password").read_text() == "mine"
    assert (keys / "database_url").read_text() == "postgres://elsewhere/memory"
