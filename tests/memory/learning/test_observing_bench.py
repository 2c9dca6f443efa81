"""The measurement: whose turns are annotated, in which form, and the three figures."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.learning import observing_bench as bench

CONVERSATION: dict[str, Any] = {
    "id": "made-up",
    "speakers": ["Ida", "Noor"],
    "sessions": [
        {
            "n": 1,
            "at": "1:56 pm on 8 May, 2024",
            "turns": [
                {"id": "D1:1", "speaker": "Ida", "text": "Hi Noor!"},
                {"id": "D1:2", "speaker": "Noor", "text": "I adopted a grey cat yesterday."},
                {"id": "D1:3", "speaker": "Ida", "text": "I am so glad for you"},
                {"id": "D1:4", "speaker": "Noor", "text": "It sleeps on my desk in the office."},
            ],
        }
    ],
    "observations": [
        {"session": 1, "speaker": "Noor", "statement": "-", "evidence": ["D1:2", "D1:4"]},
        {"session": 1, "speaker": "Ida", "statement": "-", "evidence": "D1:1"},
    ],
}


def test_each_speaker_is_the_user_once() -> None:
    first, second = bench.cases(CONVERSATION)
    assert [t.role for t in first.transcript.turns] == ["user", "assistant"] * 2
    assert [t.role for t in second.transcript.turns] == ["assistant", "user"] * 2
    assert (set(first.annotated), set(second.annotated)) == ({1}, {2, 4})
    assert first.transcript.turns[0].at.isoformat().startswith("2024-05-08T13:57")


def test_figures_of_the_baseline() -> None:
    score = bench.score(CONVERSATION, bench.first_person)
    assert (score.hits, score.quoted, score.annotated) == (2, 3, 3)
    assert score.f1 == pytest.approx(2 / 3)


def test_the_command_prints_both(tmp_path: Path) -> None:
    file = tmp_path / "made-up.json"
    file.write_text(json.dumps([CONVERSATION]))
    out = StringIO()
    call_command("bench_observe", str(file), stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[2].split()[:4] == ["made-up", "66.7", "66.7", "66.7"]
    assert lines[3].startswith("all")


@pytest.mark.parametrize("content", ["{}", "[1]", "not json"])
def test_another_file_is_refused_with_its_name(tmp_path: Path, content: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(content)
    with pytest.raises(CommandError, match=r"other\.json"):
        call_command("bench_observe", str(file))
