"""Django's entry for the control plane."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from agents.columns.stored_values import read_whatever_is_stored
        from agents.core.paths import allowed_roots
        from agents.setup import checks  # noqa: F401 - registers them
        from search.documents.contain import trust

        trust(allowed_roots)
        read_whatever_is_stored()
