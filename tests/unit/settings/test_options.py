"""The option table: defaults, files of secrets, and one clear line for what cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_appliance.settings.database import postgres_settings
from memory_appliance.settings.options import OptionError, Options, load_options, unknown_names


@pytest.fixture(autouse=True)
def no_env_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Options.model_config, "env_file", None)


def refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> str:
    monkeypatch.setenv(name, value)
    with pytest.raises(OptionError) as error:
        load_options()
    assert "\n" not in str(error.value)
    return str(error.value)


def test_defaults_are_those_of_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORY_DATA_DIR")
    options = load_options()
    assert (options.data_dir, options.host, options.port) == (Path("data").resolve(), "127.0.0.1", 8765)
    assert (options.demo, options.admin_password, options.update_interval_seconds) == (True, None, 300)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMORY_PORT", "http"), ("MEMORY_PORT", "0"), ("MEMORY_PORT", "65536"), ("MEMORY_DEMO", "perhaps"),
        ("MEMORY_WATCH", "always"), ("MEMORY_LOG_LEVEL", "loud"), ("MEMORY_UPDATE_INTERVAL_SECONDS", "-1"),
        ("MEMORY_BOOTSTRAP_KEY", "short"), ("MEMORY_ADMIN_PASSWORD", "change-me"), ("MEMORY_SECRET_KEY", "change-me"),
        ("MEMORY_ALLOWED_ROOTS", "notes"), ("MEMORY_ALLOWED_ROOTS", "/"), ("MEMORY_SWEEP_SECONDS", "nan"),
        ("MEMORY_TRUSTED_PROXIES", "proxy.lan"), ("MEMORY_SSO_HEADER", "X-User"), ("MEMORY_AUDIT_DAYS", "0"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    assert refused(monkeypatch, name, value).startswith(f"{name}: ")


def test_a_refused_secret_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "tooshort" not in refused(monkeypatch, "MEMORY_BOOTSTRAP_KEY", "tooshort")


def test_an_empty_value_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PORT", "")
    assert load_options().port == 8765


def test_lists_take_commas_and_colons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_ALLOWED_ROOTS", "/srv/notes:/srv/wiki, /home/a b")
    monkeypatch.setenv("MEMORY_ALLOWED_HOSTS", "memory.lan, nas")
    options = load_options()
    assert options.allowed_roots == (Path("/srv/notes"), Path("/srv/wiki"), Path("/home/a b"))
    assert options.allowed_hosts == ("memory.lan", "nas")


def test_a_secret_is_read_from_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k" * 40 + "\n")
    monkeypatch.setenv("MEMORY_BOOTSTRAP_KEY_FILE", str(tmp_path / "key"))
    key = load_options().bootstrap_key
    assert key is not None and key.get_secret_value() == "k" * 40 and "kkk" not in repr(key)


@pytest.mark.parametrize("content", [None, b"", b"  \n", b"\xff\xfe", b"x" * 70_000])
def test_a_secret_file_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    assert "MEMORY_SECRET_KEY_FILE: " in refused(monkeypatch, "MEMORY_SECRET_KEY_FILE", str(tmp_path / "key"))


def test_a_secret_given_twice_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORY_ADMIN_PASSWORD", "one")
    assert "both set" in refused(monkeypatch, "MEMORY_ADMIN_PASSWORD_FILE", str(tmp_path / "two"))


def test_a_folder_of_secrets_gives_those_that_are_in_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "memory_openai_api_key").write_text("sk-one\n")
    (tmp_path / "database_url").write_text("postgres://memory@db/memory")
    (tmp_path / "postgres_password").write_text("of another program")
    monkeypatch.setenv("MEMORY_SECRETS_DIR", str(tmp_path))
    options = load_options()
    assert options.openai_api_key is not None and options.openai_api_key.get_secret_value() == "sk-one"
    assert options.database_url is not None and options.gemini_api_key is None


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x" * 70_000])
def test_a_file_in_the_folder_of_secrets_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "memory_secret_key").write_bytes(content)
    assert f"{tmp_path}/memory_secret_key" in refused(monkeypatch, "MEMORY_SECRETS_DIR", str(tmp_path))


@pytest.mark.parametrize("other", ["MEMORY_SECRET_KEY", "MEMORY_SECRET_KEY_FILE"])
def test_a_secret_in_the_folder_and_elsewhere_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, other: str
) -> None:
    (tmp_path / "memory_secret_key").write_text("one")
    (tmp_path / "elsewhere").write_text("two")
    monkeypatch.setenv(other, str(tmp_path / "elsewhere"))
    assert "keep one of them" in refused(monkeypatch, "MEMORY_SECRETS_DIR", str(tmp_path))


def test_the_env_file_goes_below_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MEMORY_PORT=9000\nMEMORY_HOST=0.0.0.0\n")
    monkeypatch.setitem(Options.model_config, "env_file", tmp_path / ".env")
    monkeypatch.setenv("MEMORY_PORT", "9001")
    options = load_options()
    assert (options.port, options.host) == (9001, "0.0.0.0")


def test_an_option_of_nodes_refuses_the_start_and_names_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_NODE_URL", "")
    load_options()  # an empty one, as Compose passes on what is not set, is none
    said = refused(monkeypatch, "MEMORY_NODE_NAME", "a")
    assert said.startswith("MEMORY_NODE_NAME: ") and said.endswith("See docs/scaling.md.")


def test_the_local_folder_is_the_data_folder_unless_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORY_DATA_DIR", str(tmp_path / "data"))
    assert load_options().local_dir == tmp_path / "data"
    monkeypatch.setenv("MEMORY_LOCAL_DIR", str(tmp_path / "local"))
    assert load_options().local_dir == tmp_path / "local"


def test_names_that_are_no_option_are_found_with_what_was_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMORY_PROT", "MEMORY_XYZZY", "MEMORY_PRESSURE_WATCH", "MEMORY_SECRET_KEY_FILE"):
        monkeypatch.setenv(name, "1")
    assert unknown_names() == {"MEMORY_PROT": "MEMORY_PORT", "MEMORY_XYZZY": ""}


@pytest.mark.parametrize("key", ["short", "schlüssel-" * 5, "with spaces " * 5])
def test_a_bootstrap_key_that_no_header_can_carry_is_refused(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    assert "MEMORY_BOOTSTRAP_KEY" in refused(monkeypatch, "MEMORY_BOOTSTRAP_KEY", key)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("nonsense", "only PostgreSQL can be used"),
        ("mysql://u:hush@h/n", "only PostgreSQL can be used"),
        ("postgres://u:hush@h", "names no database"),
        ("postgres://u:hu@sh@h/n", "@ : / # ? % in the password is written %40"),
        ("postgres://u:hu/sh@h/n", "@ : / # ? % in the password is written %40"),
        ("postgres://u:hu%sh@h/n", "@ : / # ? % in the password is written %40"),
        ("postgres://u:hush@h:99999/n", "from 1 to 65535"),
        ("postgres://u:hush@h/n?ssl=on", 'knows no query parameter: "ssl"'),
    ],
)
def test_a_wrong_address_of_the_control_database_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch, url: str, says: str
) -> None:
    said = refused(monkeypatch, "DATABASE_URL", url)
    assert said.startswith("DATABASE_URL: ") and says in said
    assert "hush" not in said and "sh@h" not in said


def test_libpq_options_of_the_control_database_are_passed_on() -> None:
    found = postgres_settings("postgresql://u:p%40ss@[::1]:5433/n?sslmode=verify-full&connect_timeout=9")
    assert [found[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == ["u", "p@ss", "::1", "5433", "n"]
    assert found["OPTIONS"]["sslmode"] == "verify-full" and found["OPTIONS"]["connect_timeout"] == "9"
