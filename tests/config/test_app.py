"""What every page and process is promised: policy, files, and a clean deploy check."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from config.postgres_roles import IDLE_SECONDS, STATEMENT_SECONDS, default_privileges

PRODUCTION = {
    "DATABASE_URL": "postgresql://keepsake_app@localhost/keepsake",
    "DATABASE_OWNER_URL": "postgresql://keepsake_owner@localhost/keepsake",
    "ALLOWED_HOSTS": "keepsake.example",
    "SECRET_KEY": "for-this-test-only-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGH",
}


def manage(tmp_path: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=settings.BASE_DIR,
        env={"PATH": os.environ["PATH"], "KEEPSAKE_HOME": str(tmp_path)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.django_db
def test_every_page_forbids_inline_and_framing(client: Client) -> None:
    policy = client.get("/sign-in/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.django_db
def test_a_file_is_served_from_the_absolute_address(client: Client) -> None:
    assert settings.STATIC_URL == "/static/"
    with closing(client.get("/static/admin/css/base.css")) as answer:
        assert answer.status_code == 200


def test_production_passes_the_deploy_check(tmp_path: Path) -> None:
    secret = {"CRON_SECRET": "for-this-test-only"}
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION, **secret)
    assert done.returncode == 0, done.stderr


def test_production_without_a_cron_secret_is_warned(tmp_path: Path) -> None:
    assert "CRON_SECRET is not set" in manage(tmp_path, "check", **PRODUCTION).stderr
    assert "CRON_SECRET" not in manage(tmp_path, "check").stderr


def test_interfaces_answer_json_only() -> None:
    assert settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"] == [
        "rest_framework.renderers.JSONRenderer"
    ]


def test_migrate_is_the_owners_by_default() -> None:
    from config.management.commands.migrate import Command

    parser = Command().create_parser("manage.py", "migrate")
    assert parser.parse_args([]).database == "owner"
    assert parser.parse_args(["--database", "default"]).database == "default"


def test_the_documentation_gives_a_server_the_same_privileges() -> None:
    text = (settings.BASE_DIR / "docs" / "postgres.md").read_text()
    assert [line for line in default_privileges() if f"{line};" not in text] == []
    assert f"SET statement_timeout = '{STATEMENT_SECONDS}s'" in text
    assert f"SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'" in text


def test_a_server_that_imports_the_application_first_can_start(tmp_path: Path) -> None:
    """A worker of uvicorn's begins here, before anything has loaded the apps."""
    done = subprocess.run(
        [sys.executable, "-c", "import config.asgi"],
        cwd=settings.BASE_DIR,
        env={
            "PATH": os.environ["PATH"],
            "KEEPSAKE_HOME": str(tmp_path),
            "KEEPSAKE_PROCESS": "command",  # no pool that would wait for the absent database
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_private_webhook_targets_do_not_pass_the_deploy_check(tmp_path: Path) -> None:
    allowed = {"WEBHOOK_ALLOW_PRIVATE": "on", "CRON_SECRET": "only-for-this-test"}
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION, **allowed)
    assert done.returncode != 0
    assert "WEBHOOK_ALLOW_PRIVATE" in done.stderr
