from __future__ import annotations

import json
from pathlib import Path

from engine.bench.prompts import BUILT_IN, BenchPrompt, read_prompts


def test_built_in_prompts_cover_every_kind_in_every_language() -> None:
    kinds = {prompt.kind for prompt in BUILT_IN}
    assert {(prompt.kind, prompt.language) for prompt in BUILT_IN} == {
        (kind, language) for kind in kinds for language in ("en", "ko", "ja", "zh")
    }


def test_prompts_are_read_from_a_file_with_one_object_a_line(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    lines = [{"text": "Hello"}, {"text": "Zähle bis 3.", "kind": "list", "language": "de"}]
    path.write_text("\n\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    assert read_prompts(path) == (BenchPrompt("chat", "", "Hello"), BenchPrompt("list", "de", "Zähle bis 3."))
