"""The sampling that a model's authors recommend is read within limits; other values are ignored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.model_files.generation_config import recommended_sampling

QWEN = {"do_sample": True, "temperature": 0.6, "top_k": 20, "top_p": 0.95, "eos_token_id": [1, 2]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (QWEN, {"temperature": 0.6, "top_k": 20, "top_p": 0.95}),
        ({"do_sample": True, "top_k": 64}, {"temperature": 1.0, "top_k": 64}),
        ({"do_sample": False, "temperature": 0.6}, {"temperature": 0.0}),
        ({"eos_token_id": 2}, {}),
        ({"temperature": "hot", "top_p": 7, "top_k": True, "min_p": -1, "repetition_penalty": 1e400}, {}),
        ({"temperature": float("nan"), "top_k": 2.5}, {}),
        ({"temperature": 5.1}, {}),
    ],
)
def test_sampling_is_taken_where_it_is_usable(
    tmp_path: Path, content: dict[str, Any], expected: dict[str, Any]
) -> None:
    (tmp_path / "generation_config.json").write_text(json.dumps(content))
    assert dict(recommended_sampling(tmp_path)) == expected


@pytest.mark.parametrize("content", [None, b"", b"[]", b"{", b"[" * 100_000, b'{"a": "' + b"x" * 5_000_000 + b'"}'])
def test_no_file_and_one_that_cannot_be_trusted_recommend_nothing(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "generation_config.json").write_bytes(content)
    assert recommended_sampling(tmp_path) == ()
