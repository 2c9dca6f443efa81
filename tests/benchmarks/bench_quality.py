"""How well memory is searched: `bench_retrieval` on annotated conversations, if there are any.

The file is named by RETRIEVAL_FILE, or lies in the shared folder beside the project.
"""

import os
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.benchmarks.measuring import machine

pytestmark = [
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "locomo-dev.json"
FILE = Path(os.environ.get("RETRIEVAL_FILE", BESIDE))


@pytest.mark.skipif(not FILE.exists(), reason="no annotated conversations (RETRIEVAL_FILE)")
def test_quality() -> None:
    print(f"\n\n### Retrieval\n{machine()}\n")
    call_command("bench_retrieval", FILE)
