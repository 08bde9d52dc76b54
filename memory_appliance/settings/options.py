"""Every MEMORY_* option in one typed table; the documentation and `.env.example` are drawn from it."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

from dotenv import dotenv_values
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, ValidationInfo, create_model, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from memory_appliance.settings.database import postgres_settings
from memory_appliance.settings.secret_files import secret_from_file, secret_from_folder
from search.runtime.presets import Role
from search.runtime.providers.address import checked_url
from search.runtime.providers.choice import MODELS, parse_choice
from search.runtime.providers.table import PROVIDERS
from search.sentences import sentence
from workers.broker_address import celery_address

PREFIX = "MEMORY_"
ENV_FILE = Path(__file__).resolve().parents[2] / ".env"
SAMPLE_SECRET = "change-me"  # noqa: S105 - the one value that is refused
"""The value `.env.example` shows for secrets: refused, so that no copy of the sample is ever served."""

OWN_ADDRESSES = frozenset(
    {"accounts", "admin", "agents", "api", "audit", "components", "health", "keys", "mcp", "metrics", "recall",
     "search", "start", "static", "system", "users"}
)  # fmt: skip
"""First parts of the server's own addresses (`urls.py`)."""

IGNORED_NAMES = frozenset({"MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE"})
"""systemd sets these for every service it starts."""


class OptionError(Exception):
    """An option cannot be used; the message is one line that names it and says what to do."""


def _split(text: object, separators: str) -> object:
    if not isinstance(text, str):
        return text
    return tuple(part.strip() for part in re.split(f"[{re.escape(separators)}]", text) if part.strip())


def _split_paths(text: object) -> object:
    return _split(text, f",{os.pathsep}")


def _split_names(text: object) -> object:
    return _split(text, ",")


Folders = Annotated[tuple[Path, ...], NoDecode, BeforeValidator(_split_paths)]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_names)]


def _provider_fields() -> dict[str, Any]:
    """For each provider a key and, where the owner may set it, an address."""
    fields: dict[str, Any] = {}
    for provider in PROVIDERS:
        name, note = provider.name, provider.key_note
        key = (
            sentence("Key for `{name}`, {note}.", name=name, note=note)
            if note
            else sentence("Key for `{name}`.", name=name)
        )
        fields[f"{name}_api_key"] = (SecretStr | None, Field(None, description=key))
        if provider.own_address:
            fields[f"{name}_base_url"] = (str, Field("", description=provider.own_address))
    return fields


_OfProviders = create_model("_OfProviders", __base__=BaseSettings, **_provider_fields())


def _providers_of(role: Role) -> str:
    return ", ".join(f"`{name}`" for name in MODELS[role])


class Options(_OfProviders):  # type: ignore[misc, valid-type]
    """What the owner may set in the environment or in a `.env` file beside `manage.py`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=ENV_FILE, extra="ignore", env_ignore_empty=True, frozen=True, populate_by_name=True
    )

    data_dir: Path = Field(
        Path("data"),
        description=sentence("Folder of everything the server keeps: control database, indexes, workspaces, models."),
    )
    local_dir: Path = Field(
        Path(),
        validate_default=True,
        description=sentence(
            "Folder on this machine's own disk for what is rebuilt automatically: indexes, models, "
            "sockets, logs; else MEMORY_DATA_DIR. Of each server its own, where several share "
            "MEMORY_DATA_DIR."
        ),
    )
    host: str = Field("127.0.0.1", min_length=1, description=sentence("Address the web server listens on."))
    port: int = Field(8765, ge=1, le=65535, description=sentence("Port the web server listens on."))
    allowed_hosts: Names = Field(
        (),
        description=sentence(
            "Host names, separated by commas, that requests may carry besides localhost and MEMORY_HOST."
        ),
    )
    trusted_origins: Names = Field(
        (),
        description=sentence(
            "Origins such as https://memory.example, separated by commas, whose pages may send forms "
            "and call the API and MCP; this server's own address needs none."
        ),
    )
    base_path: str = Field(
        "",
        pattern=r"^(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$",
        description=sentence(
            "Path below which a proxy shows the server, such as /memory; empty: at the top of its name."
        ),
    )
    https: bool = Field(
        False,
        description=sentence(
            "Whether people reach the server over HTTPS alone: cookies are then sent over HTTPS only."
        ),
    )
    trusted_proxies: Names = Field(
        (),
        description=sentence(
            "Addresses or networks, separated by commas, of proxies that are believed when they say who calls."
        ),
    )
    sso_header: str = Field(
        "",
        description=sentence(
            "Header in which a trusted proxy names the person it has signed in, such as "
            "X-Forwarded-User; empty: off. Needs MEMORY_TRUSTED_PROXIES."
        ),
    )
    session_hours: int = Field(168, ge=1, le=8760, description=sentence("How long a person stays signed in."))
    requests_per_minute_key: int = Field(
        60_000, ge=0, le=10**7, description=sentence("Requests a key may make; 0: no limit.")
    )
    requests_per_minute_address: int = Field(
        120_000, ge=0, le=10**7, description=sentence("Requests an address may make; 0: no limit.")
    )
    failed_keys_per_minute: int = Field(
        300,
        ge=0,
        le=10**7,
        description=sentence("Wrong keys an address may try; 0: no limit. A key cannot be guessed."),
    )
    failed_logins_per_minute: int = Field(
        10,
        ge=0,
        le=10**6,
        description=sentence("Wrong passwords an address may try, and five times as many a name; 0: no limit."),
    )
    key_overlap_seconds: int = Field(
        600,
        ge=0,
        le=30 * 86_400,
        description=sentence("How long the old secret of a rotated key works beside the new one."),
    )
    audit_days: int = Field(
        365, ge=1, le=36_500, description=sentence("How long the audit log keeps what people changed.")
    )
    audit_denied_days: int = Field(30, ge=1, le=36_500, description=sentence("How long the audit log keeps denials."))
    admin_password: SecretStr | None = Field(
        None, description=sentence("Password of the first user `admin`; else one is generated and printed once.")
    )
    bootstrap_key: SecretStr | None = Field(
        None,
        description=sentence(
            "An admin API key to create at the first start, 32 characters or more; else one is "
            "generated and printed once."
        ),
    )
    secret_key: SecretStr | None = Field(
        None, description=sentence("Signs the web sessions; else generated once into <data>/run/secret_key.")
    )
    secrets_dir: Path | None = Field(
        None,
        description=sentence(
            "Folder of files that hold one secret each, named after the option in small letters, "
            "such as `memory_openai_api_key`; the way a container is given its secrets."
        ),
    )
    demo: bool = Field(
        True, description=sentence("Whether the first start adds the demo agent with its sample workspace.")
    )
    allowed_roots: Folders = Field(
        (),
        description=sentence(
            "Folders outside the data folder in which workspaces and collections may lie, separated "
            "by commas or `{pathsep}`.",
            pathsep=os.pathsep,
        ),
    )
    database_url: SecretStr | None = Field(
        None,
        validation_alias="DATABASE_URL",
        description=sentence(
            "A PostgreSQL for the control database, postgres://user:password@host/name; else SQLite "
            "in <data>/control.sqlite3."
        ),
    )
    broker_url: SecretStr | None = Field(
        None,
        description=sentence(
            "A Valkey or Redis server of your own: redis://host:6379/0, rediss:// with TLS, or "
            "sentinel://host1:26379,host2:26379/name; else the bundled one on a Unix socket."
        ),
    )
    update_interval_seconds: int = Field(
        300, ge=5, le=86_400, description=sentence("How often every agent's files are looked at.")
    )
    agent_disk_quota_mb: int = Field(
        0,
        ge=0,
        le=10**7,
        description=sentence(
            "Megabytes that an agent's workspace and transcripts may take, unless its own setting "
            "says otherwise; 0: any number."
        ),
    )
    update_debounce_seconds: float = Field(
        15,
        ge=0,
        le=3600,
        description=sentence("Smallest pause between two updates of one agent while its files keep changing."),
    )
    sweep_seconds: float = Field(2, ge=0.2, le=60, description=sentence("How often due work is looked for."))
    watch: Literal["auto", "poll", "off"] = Field(
        "auto",
        description=sentence("How changes on disk are noticed: by the system, by polling, or only by the interval."),
    )
    model_threads: int = Field(1, ge=1, le=64, description=sentence("Threads the local embedding model computes with."))
    model_workers: int = Field(
        0,
        ge=0,
        le=16,
        description=sentence(
            "Processes that take reranking and writing from the broker; at least one runs where "
            "MEMORY_RERANK_MODEL or MEMORY_GENERATE_MODEL is `local`."
        ),
    )
    web_workers: int = Field(2, ge=1, le=64, description=sentence("Processes that serve the API and the pages."))
    web_threads: int = Field(2, ge=1, le=64, description=sentence("Threads of each web process."))
    query_embed_timeout_ms: int = Field(
        1500,
        ge=10,
        le=60_000,
        description=sentence("How long a search waits for its query's vector before it uses words only."),
    )
    recall: bool = Field(
        True, description=sentence("Whether turns are recalled for at all; `0` switches it off everywhere.")
    )
    embed_model: str = Field(
        "local",
        description=sentence(
            "Who embeds: one of {providers}, and after a colon the model; see docs/models.md. What is set through the "
            "API goes first.",
            providers=_providers_of("embed"),
        ),
    )
    rerank_model: str = Field(
        "none",
        description=sentence("Who reranks: one of {providers}, and the model.", providers=_providers_of("rerank")),
    )
    generate_model: str = Field(
        "none",
        description=sentence("Who writes: one of {providers}, and the model.", providers=_providers_of("generate")),
    )
    hub_url: str = Field(
        "https://huggingface.co", description=sentence("Where models are downloaded from; a mirror has the same paths.")
    )
    local_index_days: int = Field(
        30,
        ge=1,
        le=3650,
        description=sentence("With PostgreSQL: an index unused for so long leaves the local folder."),
    )
    local_index_gb: float = Field(
        100.0,
        ge=0.1,
        le=10**6,
        description=sentence("With PostgreSQL: above this size the longest unused indexes leave the local folder."),
    )
    chat_proxy_upstream_url: str = Field(
        "",
        description=sentence(
            "Address of a model that speaks like OpenAI, such as http://127.0.0.1:11434/v1: the chat proxy runs and "
            "passes turns on to it; empty: off. See docs/integrations.md."
        ),
    )
    chat_proxy_upstream_key: SecretStr | None = Field(
        None, description=sentence("Key for the model of MEMORY_CHAT_PROXY_UPSTREAM_URL, where it needs one.")
    )
    chat_proxy_port: int = Field(
        8766, ge=1, le=65535, description=sentence("Port the chat proxy listens on, at MEMORY_HOST.")
    )
    chat_proxy_api_url: str = Field(
        "", description=sentence("Where the chat proxy reaches this server's API; else MEMORY_HOST and MEMORY_PORT.")
    )
    backup_dir: Path = Field(
        Path("backups"),
        description=sentence("Folder of the backups; relative to the data folder. Another disk is safer."),
    )
    backup_hours: int = Field(24, ge=0, le=720, description=sentence("How often a backup is made by itself; 0: never."))
    backup_indexes: bool = Field(
        False,
        description=sentence(
            "Whether backups hold the indexes too: they come back by themselves, but their vectors take time."
        ),
    )
    backup_keep_daily: int = Field(7, ge=0, le=3650, description=sentence("Days of which the last backup is kept."))
    backup_keep_weekly: int = Field(4, ge=0, le=520, description=sentence("Weeks of which the last backup is kept."))
    backup_keep_monthly: int = Field(6, ge=0, le=120, description=sentence("Months of which the last backup is kept."))
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description=sentence("What is written to stderr.")
    )
    log_format: Literal["line", "json"] = Field(
        "line", description=sentence("How a line of the log looks: text for people, or a JSON object for programs.")
    )

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("watch", "log_format", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("base_path")
    @classmethod
    def _unlike_our_own(cls, value: str) -> str:
        """A proxy may cut the path off; then only its name tells it from an address inside."""
        if value.split("/")[1:2] and value.split("/")[1] in OWN_ADDRESSES:
            raise ValueError(f"is an address of the server itself ({value}); choose another, such as /memory")
        return value

    @field_validator("data_dir")
    @classmethod
    def _real_folder(cls, value: Path) -> Path:
        return value.expanduser().resolve()

    @field_validator("local_dir")
    @classmethod
    def _data_dir_unless_set(cls, value: Path, info: ValidationInfo) -> Path:
        return value.expanduser().resolve() if value.parts else Path(info.data["data_dir"])

    @field_validator("backup_dir")
    @classmethod
    def _below_home(cls, value: Path) -> Path:
        return value.expanduser()

    @field_validator("allowed_roots")
    @classmethod
    def _absolute_roots(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        for root in value:
            if not root.is_absolute():
                raise ValueError(f"{root} is not an absolute folder")
            if root.parent == root:
                raise ValueError("the root of the file system cannot be allowed; name the folders inside it")
        return value

    @field_validator("embed_model", "rerank_model", "generate_model")
    @classmethod
    def _known_provider(cls, value: str, info: ValidationInfo) -> str:
        return str(parse_choice(cast(Role, str(info.field_name).removesuffix("_model")), value))

    @field_validator(
        *("hub_url", "chat_proxy_upstream_url", "chat_proxy_api_url"),
        *(f"{provider.name}_base_url" for provider in PROVIDERS if provider.own_address),
    )
    @classmethod
    def _usable_address(cls, value: str) -> str:
        return checked_url(value) if value else value

    @field_validator("trusted_proxies")
    @classmethod
    def _addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            try:
                ip_network(name, strict=False)
            except ValueError:
                raise ValueError(f"{name} is neither an address nor a network such as 10.0.0.0/8") from None
        return value

    @field_validator("sso_header")
    @classmethod
    def _header_of_a_proxy(cls, value: str, info: ValidationInfo) -> str:
        if not value:
            return value
        if not re.fullmatch(r"[A-Za-z0-9-]+", value) or value.lower() in ("host", "cookie", "authorization"):
            raise ValueError("is not the name of a header that a proxy sets, such as X-Forwarded-User")
        if not info.data.get("trusted_proxies"):
            raise ValueError("anybody could send this header: list the proxy's address in MEMORY_TRUSTED_PROXIES")
        return value

    @field_validator("database_url")
    @classmethod
    def _of_postgresql(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            postgres_settings(value.get_secret_value())
        return value

    @field_validator("broker_url")
    @classmethod
    def _of_valkey(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            celery_address(value.get_secret_value())
        return value

    @field_validator("bootstrap_key")
    @classmethod
    def _fit_for_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None:
            return value
        key = value.get_secret_value()
        if len(key) < 32:
            raise ValueError("needs 32 characters or more")
        if not re.fullmatch(r"[!-~]+", key):
            raise ValueError("goes into an HTTP header: use letters, digits and signs of ASCII, without spaces")
        return value

    @field_validator(
        *("admin_password", "bootstrap_key", "secret_key", "database_url", "broker_url", "chat_proxy_upstream_key"),
        *(f"{provider.name}_api_key" for provider in PROVIDERS),
    )
    @classmethod
    def _not_the_sample(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and value.get_secret_value().startswith(SAMPLE_SECRET):
            raise ValueError("still has the sample's value; choose one of your own or leave it out")
        return value


def env_name(field: str) -> str:
    """`port` → `MEMORY_PORT`; `database_url` alone has the name that every host knows."""
    return "DATABASE_URL" if field == "database_url" else PREFIX + field.upper()


def is_secret(field: str) -> bool:
    return SecretStr in get_args(Options.model_fields[field].annotation)


SECRET_NAMES = tuple(env_name(field) for field in Options.model_fields if is_secret(field))


def load_options() -> Options:
    """The options as the environment, and below it the `.env` file, give them.

    Raises `OptionError`: one line that names one option.
    """
    environ = {**_env_file_values(), **os.environ}
    if gone := next((name for name in sorted(environ) if name.startswith(f"{PREFIX}NODE_") and environ[name]), ""):
        raise OptionError(f"{gone}: there are no nodes any more, servers share one data folder. See docs/scaling.md.")
    secrets: dict[str, Any] = _secrets_from_files(environ)
    try:
        return Options(**secrets)
    except ValidationError as error:
        raise OptionError(_one_line(error)) from error


def unknown_names() -> dict[str, str]:
    """MEMORY_* names that are no option, each with the option that was probably meant ("" when none is near)."""
    known = {env_name(field) for field in Options.model_fields}
    known |= {f"{name}_FILE" for name in SECRET_NAMES}
    strangers = sorted(
        name
        for name in {**_env_file_values(), **os.environ}
        if name.startswith(PREFIX) and name not in known | IGNORED_NAMES
    )
    return {name: next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.8)), "") for name in strangers}


def _secrets_from_files(environ: Mapping[str, str]) -> dict[str, str]:
    folder = environ.get(env_name("secrets_dir"), "").strip()
    found: dict[str, str] = {}
    try:
        for field in filter(is_secret, Options.model_fields):
            in_folder = secret_from_folder(env_name(field), environ, Path(folder)) if folder else None
            value = in_folder or secret_from_file(env_name(field), environ)
            if value is not None:
                found[field] = value
    except ValueError as error:
        raise OptionError(str(error)) from error
    return found


def _env_file_values() -> dict[str, str]:
    path = Options.model_config.get("env_file")
    return {name: value for name, value in dotenv_values(cast(Path, path)).items() if value is not None} if path else {}


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    location = str(first["loc"][0])
    name = env_name(location) if location in Options.model_fields else location
    return f"{name}: {first['msg'].removeprefix('Value error, ')}. See docs/configuration.md."
