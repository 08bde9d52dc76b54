"""Django's entry for the doors: every process that starts Django can reach the models process."""

from django.apps import AppConfig


class MemoryApplianceConfig(AppConfig):
    name = "memory_appliance"

    def ready(self) -> None:
        from memory_appliance.embedding import register_embedder

        register_embedder()
