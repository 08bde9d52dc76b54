"""Django's settings, derived from the typed options; a bad option ends the start with one clear line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import SecretStr

from memory_appliance.settings.database import postgres_settings
from memory_appliance.settings.kept import stored_secret_key, stored_server_name
from memory_appliance.settings.options import (
    OptionError,
    load_options,
    unknown_names,
)
from search.runtime.providers.table import PROVIDERS
from workers.broker_address import celery_address, transport_options
from workers.logs import logging_settings
from workers.sockets import socket_dir

BASE_DIR = Path(__file__).resolve().parents[2]

try:
    OPTIONS = load_options()
except OptionError as error:
    raise SystemExit(f"error: {error}") from None

MEMORY_UNKNOWN_OPTIONS: dict[str, str] = unknown_names()

# The data folder and the local folder

MEMORY_DATA_DIR: Path = OPTIONS.data_dir
MEMORY_LOCAL_DIR: Path = OPTIONS.local_dir
MEMORY_ALLOWED_ROOTS: tuple[Path, ...] = OPTIONS.allowed_roots
MEMORY_UPDATE_INTERVAL_SECONDS: int = OPTIONS.update_interval_seconds
MEMORY_AGENT_DISK_QUOTA_MB: int = OPTIONS.agent_disk_quota_mb
MEMORY_UPDATE_DEBOUNCE_SECONDS: float = OPTIONS.update_debounce_seconds
MEMORY_QUERY_EMBED_TIMEOUT_MS: int = OPTIONS.query_embed_timeout_ms
MEMORY_WEB_WORKERS: int = OPTIONS.web_workers
MEMORY_WEB_THREADS: int = OPTIONS.web_threads
MEMORY_TRUSTED_PROXIES: tuple[str, ...] = OPTIONS.trusted_proxies
MEMORY_SSO_HEADER: str = OPTIONS.sso_header
MEMORY_REQUESTS_PER_MINUTE_KEY: int = OPTIONS.requests_per_minute_key
MEMORY_REQUESTS_PER_MINUTE_ADDRESS: int = OPTIONS.requests_per_minute_address
MEMORY_FAILED_KEYS_PER_MINUTE: int = OPTIONS.failed_keys_per_minute
MEMORY_FAILED_LOGINS_PER_MINUTE: int = OPTIONS.failed_logins_per_minute
MEMORY_KEY_OVERLAP_SECONDS: int = OPTIONS.key_overlap_seconds
MEMORY_AUDIT_DAYS: int = OPTIONS.audit_days
MEMORY_AUDIT_DENIED_DAYS: int = OPTIONS.audit_denied_days
MEMORY_BACKUP_DIR: Path = OPTIONS.data_dir / OPTIONS.backup_dir
MEMORY_BACKUP_HOURS: int = OPTIONS.backup_hours
MEMORY_BACKUP_INDEXES: bool = OPTIONS.backup_indexes
MEMORY_BACKUP_KEEP_DAILY: int = OPTIONS.backup_keep_daily
MEMORY_BACKUP_KEEP_WEEKLY: int = OPTIONS.backup_keep_weekly
MEMORY_BACKUP_KEEP_MONTHLY: int = OPTIONS.backup_keep_monthly
MEMORY_RECALL: bool = OPTIONS.recall
MEMORY_ROLE_MODELS: dict[str, str] = {
    "embed": OPTIONS.embed_model,
    "rerank": OPTIONS.rerank_model,
    "generate": OPTIONS.generate_model,
}
MEMORY_PROVIDER_KEYS: dict[str, SecretStr | None] = {
    provider.name: getattr(OPTIONS, f"{provider.name}_api_key") for provider in PROVIDERS
}
MEMORY_PROVIDER_URLS: dict[str, str] = {
    provider.name: getattr(OPTIONS, f"{provider.name}_base_url") for provider in PROVIDERS if provider.own_address
}
MEMORY_HUB_URL: str = OPTIONS.hub_url
MEMORY_SOCKET_DIR: Path = socket_dir(MEMORY_LOCAL_DIR)

try:
    SECRET_KEY = (
        OPTIONS.secret_key.get_secret_value() if OPTIONS.secret_key else stored_secret_key(MEMORY_DATA_DIR / "run")
    )
    # Several servers need PostgreSQL; the one that there is with SQLite needs no name.
    MEMORY_SERVER_NAME: str = stored_server_name(MEMORY_LOCAL_DIR / "run") if OPTIONS.database_url else ""
except OSError as error:
    raise SystemExit(
        f"error: the data folder {MEMORY_DATA_DIR} cannot be written: {error.strerror}. "
        "Give this user the right to write there, or set MEMORY_DATA_DIR."
    ) from None

# Web

DEBUG = False
ALLOWED_HOSTS = list(dict.fromkeys(["localhost", "127.0.0.1", "[::1]", OPTIONS.host, *OPTIONS.allowed_hosts]))
CSRF_TRUSTED_ORIGINS = list(OPTIONS.trusted_origins)
ROOT_URLCONF = "memory_appliance.urls"
WSGI_APPLICATION = "memory_appliance.wsgi.application"
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "ninja",
    "agents",
    "memory_appliance",
]
MIDDLEWARE = [
    "memory_appliance.request_ids.RequestIds",
    "memory_appliance.metrics.requests.CountRequests",
    "memory_appliance.proxies.RealAddress",
    "memory_appliance.middleware.ErrorShape",
    "memory_appliance.middleware.BoundedWaiting",
    "memory_appliance.middleware.ContentSecurityPolicy",
    "django.middleware.security.SecurityMiddleware",
    "memory_appliance.origins.KnownOrigins",
    "memory_appliance.middleware.CompressPages",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "memory_appliance.proxies.ProxySignOn",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "memory_appliance.web.page.PageFailures",
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memory_appliance.web.chrome.chrome",
            ]
        },
    }
]
STATIC_URL = f"{OPTIONS.base_path}/static/"
WHITENOISE_USE_FINDERS = True  # no collectstatic step: the few files of our own and the packages' are found at start
WHITENOISE_AUTOREFRESH = False
WHITENOISE_MAX_AGE = 24 * 3600  # the pages ask with a digest of the content (templatetags/appliance.py)
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
APPEND_SLASH = False
LOGIN_URL = "login"
FORCE_SCRIPT_NAME = OPTIONS.base_path or None
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = f"{OPTIONS.base_path}/"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "overview"
CSRF_FAILURE_VIEW = "memory_appliance.web.failures.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = OPTIONS.session_hours * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = OPTIONS.https
SECURE_HSTS_SECONDS = 3600 if OPTIONS.https else 0
if OPTIONS.https and OPTIONS.trusted_proxies:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")  # from anybody else it is dropped (proxies.py)
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
if OPTIONS.sso_header:
    AUTHENTICATION_BACKENDS.append("memory_appliance.proxies.SignOnBackend")
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]

# Control database

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES: dict[str, Any] = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": MEMORY_DATA_DIR / "control.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A deferred transaction that turns into a write fails at once when another wrote meanwhile;
            # an immediate one waits its turn for `timeout` seconds.
            "transaction_mode": "IMMEDIATE",
            "timeout": 10,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-4000;",
        },
    }
}
if OPTIONS.database_url is not None:
    DATABASES["default"] = postgres_settings(OPTIONS.database_url.get_secret_value())

# Language and time

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "language"
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

LOGGING = logging_settings(OPTIONS.log_level, OPTIONS.log_format)

# Broker: messages carry ids only; all intent and every result live in the control database.

CELERY_BROKER_URL = (
    celery_address(OPTIONS.broker_url.get_secret_value())
    if OPTIONS.broker_url
    else f"redis+socket://{MEMORY_SOCKET_DIR / 'broker.sock'}"
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_TASK_ACKS_LATE = False  # a lost message is found by the sweep through its run's lease, not by redelivery
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_TIMEOUT = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    **transport_options(CELERY_BROKER_URL),
    "socket_connect_timeout": 1,
    "socket_timeout": 5,
    # A web request that finds no broker answers at once and leaves the rest to the sweep; the worker and beat, which
    # wait for the broker, have patience of their own.
    "max_retries": 1,
    "interval_start": 0.1,
    "interval_step": 0,
    "interval_max": 0.1,
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
