"""The measurement of retrieval: through the product, right figures, and nothing left behind."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connections

from memory.learning.retrieval_bench import load, measured
from tenants.models import TenantRow

TOLD = [
    {
        "id": "one",
        "speakers": ["Mira", "Tutor"],
        "sessions": [
            {
                "n": 1,
                "at": "1:56 pm on 8 May, 2023",
                "turns": [
                    {"id": "D1:1", "speaker": "Mira", "text": "I moved to Porto with my cat."},
                    {"id": "D1:2", "speaker": "Tutor", "text": "How is the weather there?"},
                    {"id": "D1:3", "speaker": "Mira", "text": "I paint sardines on old tiles."},
                ],
            },
            {
                "n": 2,
                "at": "10:00 am on 2 June, 2023",
                "turns": [
                    {"id": "D2:1", "speaker": "Tutor", "text": "I learned to bake saffron bread."}
                ],
            },
        ],
        "observations": [
            {
                "session": 1,
                "speaker": "Mira",
                "statement": "Mira moved to Porto with her cat.",
                "evidence": "D1:1",
            },
            {
                "session": 2,
                "speaker": "Tutor",
                "statement": "Tutor bakes saffron bread.",
                "evidence": ["D2:1"],
            },
        ],
        "questions": [
            {"q": "Who bakes saffron bread?", "answer": "", "evidence": ["D2:1"], "category": 4},
            {"q": "Where did Mira move?", "answer": "", "evidence": ["D1:1"], "category": 1},
            {"q": "What does Mira paint?", "answer": "", "evidence": ["D1:3"], "category": 4},
            {"q": "Adversarial?", "answer": "", "evidence": ["D1:1"], "category": 5},
        ],
    }
]


def rows_left() -> int:
    """Of all tenants, seen as the owner."""
    found = 0
    with connections["owner"].cursor() as cursor:
        for model in apps.get_models():
            if issubclass(model, TenantRow):
                cursor.execute(f'SELECT count(*) FROM "{model._meta.db_table}"')
                found += cursor.fetchone()[0]
        cursor.execute("SELECT count(*) FROM tenants_tenant")
        return int(found + cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_file_is_measured_and_nothing_is_left(tmp_path: Path) -> None:
    file, out = tmp_path / "told.json", tmp_path / "out.json"
    file.write_text(json.dumps(TOLD), encoding="utf-8")
    printed = StringIO()
    before, users = rows_left(), User.objects.count()
    call_command("bench_retrieval", file, json=out, stdout=printed)
    assert (rows_left(), User.objects.count()) == (before, users)
    assert "3 questions" in printed.getvalue()
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert set(found) == {"space", "quality", "speed"}
    for of in ("messages", "memories"):
        assert set(found["quality"][of]) == set(found["speed"][of])
        for figures in found["quality"][of].values():
            assert set(figures) == {"R@5", "R@10", "R@20", "hit@10", "MRR"}
        assert found["quality"][of]["participant"]["R@5"] == 100.0
    assert found["quality"]["memories"]["keyword"]["MRR"] == 100.0


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"speakers": []}]', "\x00"])
def test_another_shape_is_said_to_be_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "told.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError):
        call_command("bench_retrieval", file)


def test_the_figures_are_those_of_the_ranks() -> None:
    figures = measured([[1.0], [6.0, np.inf], [np.inf]])
    assert figures == {"R@5": 33.3, "R@10": 50.0, "R@20": 50.0, "hit@10": 66.7, "MRR": 38.9}
    assert measured([]) == dict.fromkeys(("R@5", "R@10", "R@20", "hit@10", "MRR"), 0.0)


def test_a_file_may_hold_any_number_of_conversations(tmp_path: Path) -> None:
    file = tmp_path / "told.json"
    file.write_text("[]", encoding="utf-8")
    assert load(file) == []
