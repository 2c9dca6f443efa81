"""The drawings of what was measured: well-formed, with every figure."""

import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

FIGURES = {"R@5": 50.0, "R@10": 61.5, "R@20": 70.0, "hit@10": 80.0, "MRR": 40.0}


def test_every_system_of_every_space_is_drawn(tmp_path: Path) -> None:
    files: list[Path] = []
    for space in ("one-64", 'two<&"-128'):
        file = tmp_path / f"{len(files)}.json"
        quality = {of: {"keyword": FIGURES, "rrf": FIGURES} for of in ("messages", "memories")}
        file.write_text(json.dumps({"space": space, "quality": quality}), encoding="utf-8")
        files.append(file)
    call_command("plot_retrieval", *files, out=tmp_path / "out", stdout=StringIO())
    for of in ("messages", "memories"):
        drawing = ElementTree.parse(tmp_path / "out" / f"retrieval-{of}.svg")
        texts = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
        assert texts.count("61.5") == 4
        assert {"keyword", "rrf", "one-64", 'two<&"-128'} <= set(texts)


def test_speed_is_drawn_over_powers_of_ten_and_what_was_not_measured_is_left_out(
    tmp_path: Path,
) -> None:
    scopes = [
        {"rows": 10, "path": "exact", "p50": 2.0, "bare": 1.0, "numpy": 0.02},
        {"rows": 200_000, "path": "exact", "p50": 660.0, "bare": 250.0, "numpy": float("nan")},
        {"rows": 200_000, "path": "alone", "p50": 31.0, "bare": float("nan"), "numpy": 1.0},
    ]
    file = tmp_path / "speed.json"
    file.write_text(json.dumps({"scopes": scopes}), encoding="utf-8")
    call_command("plot_retrieval", file, out=tmp_path, stdout=StringIO())
    assert [path.name for path in tmp_path.glob("*.svg")] == ["retrieval-speed.svg"]
    drawing = ElementTree.parse(tmp_path / "retrieval-speed.svg")
    texts = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"10", "1,000,000", "0.01", "1000"} <= set(texts)
    assert {"search, exact: 660", "search, HNSW: 31", "numpy scan: 0.02"} <= set(texts)
    dots = list(drawing.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(dots) == 2 + 2 + 1 + 1
    for dot in dots:
        assert 0 < float(dot.attrib["cx"]) < 720
        assert 0 < float(dot.attrib["cy"]) < 400


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="missing"):
        call_command("plot_retrieval", tmp_path / "missing.json", out=tmp_path)
