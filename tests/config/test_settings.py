"""Settings: each malformed one stops the start by name; the documentation lists them all."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from config import settings as module
from config.environment import parse_duration
from config.kept_secrets import made_once

MALFORMED = {
    "HOST": [],  # any text may be an address; the socket will say
    "KEEPSAKE_HOME": [],
    "PORT": ["eighty", "0", "65536", "80.5", "-1"],
    "DEBUG": ["maybe", "2"],
    "HTTPS": ["perhaps"],
    "ALLOWED_HOSTS": [],
    "TRUSTED_PROXIES": ["proxy.example", "10.0.0.0/33", "10.0.0.1,here"],
    "DATABASE_URL": ["mysql://a@b/c", "keepsake", "postgresql://h:port/x", "postgresql:///"],
    "DATABASE_OWNER_URL": ["sqlite:///x"],
    "DATABASE_PREPARES": ["perhaps"],
    "KEEPSAKE_PROCESS": ["webs"],
    "SECRET_KEY": ["short"],
    "MASTER_KEY": ["short"],
    "CRON_SECRET": ["short"],
    "OPENAI_API_KEY": [],
    "OPENAI_BASE_URL": ["api.example/v1", "ftp://api.example"],
    "LANGUAGE_MODEL": [],
    "EMBEDDING_MODEL": [],
    "OBSERVE_COOLDOWN": ["two hours", "-5m", "2w", "h"],
    "RECALL_TIMEOUT": ["soon"],
    "RECALL_K": ["0", "five"],
    "RECALL_TOKENS": ["many"],
    "OMNIPRESENT_TOKENS": ["-1"],
    "PROFILE_CHARACTERS": ["all"],
    "TOOL_ROUNDS": ["0", "many"],
    "NEIGHBOURS": ["5", "5,10,15", "a,b", "-1,2"],
    "RECONCILE_BATCH": ["0"],
    "BACKUP_DAYS": ["-1", "a month"],
    "RUNS_DAYS": ["0", "ever"],
    "CHAT_LIMIT_VISITOR": ["0"],
    "CHAT_LIMIT_ADDRESS": ["none"],
    "CHAT_LIMIT_AGENT": ["-3"],
    "OWN_LIMIT_VISITOR": ["0", "many"],
    "OWN_LIMIT_ADDRESS": ["-3"],
    "CHAT_LIMIT_WINDOW": ["a minute"],
    "SHARING_LIMIT": ["0", "many"],
    "WEBHOOK_ALLOW_PRIVATE": ["sometimes"],
    "CACHE_URL": ["memcached://here"],
    "CELERY_BROKER_URL": ["kafka://here", "redis:"],
    "LOG_LEVEL": ["LOUD"],
}


def start(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Ask a fresh process for its settings, with nothing set but what is given."""
    kept = {"PATH": os.environ["PATH"], "KEEPSAKE_HOME": str(tmp_path)}
    return subprocess.run(
        [sys.executable, "manage.py", "version"],
        cwd=settings.BASE_DIR,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def read(**environment: str) -> Any:
    """The declared reads of settings.py again, with another environment."""
    source = Path(module.__file__).read_text()
    names: dict[str, Any] = {"__file__": module.__file__, "__name__": "config.settings"}
    with pytest.MonkeyPatch.context() as patch:
        for name in module.env.declared:
            patch.delenv(name, raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        exec(compile(source, module.__file__, "exec"), names)
    return names


def test_every_setting_has_its_malformed_values_here() -> None:
    assert set(MALFORMED) == set(module.env.declared)


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in MALFORMED.items() for value in values]
)
def test_a_malformed_setting_is_refused_by_name(name: str, value: str, tmp_path: Path) -> None:
    from django.core.exceptions import ImproperlyConfigured

    home = {} if name == "KEEPSAKE_HOME" else {"KEEPSAKE_HOME": str(tmp_path)}
    with pytest.raises(ImproperlyConfigured) as refused:
        read(**home, **{name: value})
    assert str(refused.value).startswith(f"{name}: expected ")
    assert module.env.declared[name].expected in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "s3cret"),
        ("CRON_SECRET", "s3cret"),
        ("DATABASE_URL", "mysql://user:s3cret@host/db"),
        ("CELERY_BROKER_URL", "amqps3://user:s3cret@host"),
    ],
)
def test_a_refusal_does_not_repeat_a_secret(name: str, value: str, tmp_path: Path) -> None:
    done = start(tmp_path, **{name: value})
    assert done.returncode == 2
    assert name in done.stderr
    assert "s3cret" not in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_secrets_are_made_once_for_their_owner_only(tmp_path: Path) -> None:
    first = made_once(tmp_path / "home", "secret-key")
    assert made_once(tmp_path / "home", "secret-key") == first
    assert len(first) >= 50
    assert stat.S_IMODE((tmp_path / "home" / "secret-key").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["secret-key"]


def test_two_homes_have_different_secrets(tmp_path: Path) -> None:
    assert made_once(tmp_path / "a", "master-key") != made_once(tmp_path / "b", "master-key")


def test_in_production_no_cron_secret_means_none(tmp_path: Path) -> None:
    found = read(KEEPSAKE_HOME=str(tmp_path), DATABASE_URL="postgresql://a@h/d")
    assert found["PRODUCTION"] is True
    assert found["CRON_SECRET"] is None
    assert found["EMBEDDED"] is None
    assert not (tmp_path / "cron-secret").exists()


@pytest.mark.parametrize("debug", ["on", "off"])
def test_at_home_a_cron_secret_is_made(tmp_path: Path, debug: str) -> None:
    found = read(KEEPSAKE_HOME=str(tmp_path), DEBUG=debug)
    assert found["PRODUCTION"] is False
    assert found["CRON_SECRET"] == (tmp_path / "cron-secret").read_text().strip()


@pytest.mark.parametrize(
    ("more", "threshold"),
    [
        ({}, 2),
        ({"DATABASE_PREPARES": "off"}, None),
        ({"DATABASE_URL": "postgresql://a@h/d"}, None),
        ({"DATABASE_URL": "postgresql://a@h/d", "DATABASE_PREPARES": "on"}, 2),
    ],
)
def test_prepared_where_no_pooler_can_lose_it(
    tmp_path: Path, more: dict[str, str], threshold: int | None
) -> None:
    found = read(KEEPSAKE_HOME=str(tmp_path), **more)
    assert found["DATABASES"]["default"]["OPTIONS"]["prepare_threshold"] == threshold


def test_models_follow_the_key(tmp_path: Path) -> None:
    home = {"KEEPSAKE_HOME": str(tmp_path)}
    offline, online = read(**home), read(**home, OPENAI_API_KEY="k")
    assert (offline["LANGUAGE_MODEL"], online["LANGUAGE_MODEL"]) == ("offline", "gpt-4o-mini")
    assert offline["EMBEDDING_MODEL"] == "wordllama-256"
    assert online["EMBEDDING_MODEL"] == "text-embedding-3-small"


def test_copies_side_by_side_have_cookies_of_their_own(tmp_path: Path) -> None:
    home, url = {"KEEPSAKE_HOME": str(tmp_path)}, {"DATABASE_URL": "postgres://app@db/keepsake"}
    for more, said in (
        ({}, "sessionid"),
        ({"PORT": "8001"}, "sessionid_8001"),
        ({"PORT": "8001", "DEBUG": "on"} | url, "sessionid"),
    ):
        found = read(**home, **more)
        assert found["SESSION_COOKIE_NAME"] == said
        assert found["CSRF_COOKIE_NAME"] == said.replace("sessionid", "csrftoken")


def test_only_the_web_pools_its_connections(tmp_path: Path) -> None:
    for process, pooled in {"web": True, "worker": False, "command": False}.items():
        found = read(KEEPSAKE_HOME=str(tmp_path), KEEPSAKE_PROCESS=process)
        assert ("pool" in found["DATABASES"]["default"]["OPTIONS"]) is pooled
        assert "pool" not in found["DATABASES"]["owner"]["OPTIONS"]
        assert "options" not in found["DATABASES"]["default"]["OPTIONS"]


def test_the_documentation_lists_every_setting_with_its_default() -> None:
    text = (settings.BASE_DIR / "docs" / "settings.md").read_text()
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| ([^|]+?) \|", text, re.MULTILINE))
    assert {name: each.default for name, each in module.env.declared.items()} == rows


@given(number=st.integers(0, 10_000), unit=st.sampled_from(["s", "m", "h", "d"]))
def test_a_duration_is_its_number_times_its_unit(number: int, unit: str) -> None:
    seconds = {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit]
    assert parse_duration(f"{number}{unit}").total_seconds() == number * seconds
    assert parse_duration(str(number)).total_seconds() == number
