"""The options in groups, as the documentation and the options page show them."""

from __future__ import annotations

from dataclasses import dataclass

from search.runtime.providers.table import PROVIDERS, Provider
from search.sentences import sentence


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """`fields` of `Options` in their order; `advanced`: those that few need, shown last."""

    title: str
    fields: tuple[str, ...]
    advanced: tuple[str, ...] = ()


def _of_provider(provider: Provider) -> tuple[str, ...]:
    key = f"{provider.name}_api_key"
    return (f"{provider.name}_base_url", key) if provider.own_address else (key,)


GROUPS: tuple[OptionGroup, ...] = (
    OptionGroup(
        sentence("Folders"),
        ("data_dir", "local_dir", "allowed_roots"),
        ("local_index_days", "local_index_gb"),
    ),
    OptionGroup(
        sentence("Address"),
        ("host", "port", "allowed_hosts", "trusted_origins", "base_path", "https"),
        ("trusted_proxies",),
    ),
    OptionGroup(
        sentence("People and keys"),
        ("admin_password", "secret_key", "session_hours", "demo", "audit_days"),
        (
            "sso_header",
            "bootstrap_key",
            "secrets_dir",
            "key_overlap_seconds",
            "audit_denied_days",
            "requests_per_minute_key",
            "requests_per_minute_address",
            "failed_keys_per_minute",
            "failed_logins_per_minute",
        ),
    ),
    OptionGroup(sentence("Database and broker"), ("database_url", "broker_url")),
    OptionGroup(
        sentence("Indexes"),
        ("update_interval_seconds", "watch", "agent_disk_quota_mb", "recall"),
        ("update_debounce_seconds", "sweep_seconds", "query_embed_timeout_ms"),
    ),
    OptionGroup(
        sentence("Models"),
        ("embed_model", "rerank_model", "generate_model", "model_threads"),
        ("model_workers", "hub_url"),
    ),
    OptionGroup(
        sentence("Model providers"),
        tuple(name for provider in PROVIDERS for name in _of_provider(provider)),
    ),
    OptionGroup(
        sentence("Chat proxy"),
        ("chat_proxy_upstream_url", "chat_proxy_upstream_key"),
        ("chat_proxy_port", "chat_proxy_api_url"),
    ),
    OptionGroup(
        sentence("Backups"),
        ("backup_dir", "backup_hours", "backup_keep_daily", "backup_keep_weekly", "backup_keep_monthly"),
        ("backup_indexes",),
    ),
    OptionGroup(sentence("Processes and log"), ("web_workers", "log_level", "log_format"), ("web_threads",)),
)
