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


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="missing"):
        call_command("plot_retrieval", tmp_path / "missing.json", out=tmp_path)
