from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from memory.learning import space_checks  # noqa: F401  registers itself, like the next
        from memory.providers import checks  # noqa: F401
