"""A task that proves the way from here through the broker to a worker."""

from pathlib import Path

from celery import shared_task


@shared_task(name="keepsake.echo")
def echo(mark: str) -> None:
    """Leave a file named `mark` under KEEPSAKE_HOME/run, where whoever asked can see it."""
    from django.conf import settings

    name = Path(mark).name
    folder = settings.KEEPSAKE_HOME / "run"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"echo-{name}").touch()
