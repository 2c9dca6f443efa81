"""The official package's 1.x client over both transports, in an environment of its own.

`make test-clients` makes that environment and names its Python; without it there is nothing to run.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from memory.interfaces.mcp.catalogue import SHARED
from memory.tools import TOOLS
from tests.memory.interfaces.mcp.conftest import Mcp
from tests.memory.interfaces.mcp.test_stdio import environment

PYTHON = os.environ.get("OLDER_MCP_PYTHON", "")

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not PYTHON, reason="run by `make test-clients`, in its own environment"),
]


def test_the_older_client_is_served_alike_over_both_transports(server: Mcp) -> None:
    done = subprocess.run(
        [
            PYTHON, str(Path(__file__).parent / "older_client.py"),
            sys.executable, str(settings.BASE_DIR),
        ],
        env=environment(server.key(), KEEPSAKE_PERSON="mira", KEEPSAKE_URL=server.base),
        capture_output=True,
        text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3_000:]
    transports = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(transports) == 2
    for told in transports:
        assert told["version"].startswith("1.")
        assert told["server"] == "keepsake"
        assert set(told["tools"]) == TOOLS.keys() | SHARED.keys()
        assert told["schemas"]
        assert "remember" in told["prompt"]
        assert told["saved"]["status"] == "saved"
        assert [each["content"] for each in told["listed"]] == ["12345"]
        assert [each["id"] for each in told["found"]] == [told["wrote"]["writeId"]]
        assert told["wrong"] == [True, "id: there is no such memory"]
        assert told["gone"]["status"] == "deleted"
    assert "duplicate" in transports[1]["wrote"]  # the same write, from the other transport
