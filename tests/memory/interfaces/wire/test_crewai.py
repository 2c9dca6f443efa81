"""`dinomem-crewai` against a real server: its tools run in an environment of their own.

`make test-clients` makes that environment and names its Python; without it there is nothing to run.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from memory.providers import using
from tests.fakes import StubEmbedder
from tests.served import served
from tests.wires import Wire

PYTHON = os.environ.get("CREWAI_PYTHON", "")

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not PYTHON, reason="run by `make test-clients`, in its own environment"),
]


def test_its_tools_and_helpers_work_with_the_address_changed() -> None:
    wire = Wire()
    with using(embedder=StubEmbedder()), served() as address:
        done = subprocess.run(
            [PYTHON, str(Path(__file__).parent / "crew.py")],
            env={
                **os.environ,
                "KEEPSAKE_URL": address,
                "KEEPSAKE_KEY": wire.key,
                "CREWAI_DISABLE_TELEMETRY": "true",
                "OTEL_SDK_DISABLED": "true",
            },
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr[-3_000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["saved"].startswith("Saved 2 memories")
    assert "The deadline is Friday." in told["recalled"]
    assert "Alice prefers dark mode." in told["recalled"]
    assert told["nothing"] == "No relevant memories found."
    assert told["again"] == {"writeId": told["added"]["writeId"], "duplicate": True}
    assert told["searched"][0] == "The office is in Porto."
    assert "The office is in Porto." in told["prompt"]
