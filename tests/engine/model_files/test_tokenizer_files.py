"""Vocabularies: read from tokenizer.json, compared by their ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.model_files.tokenizer_files import compare, fingerprint, read_folder
from tests.engine.model_files.model_folders import tokenizer_json

VOCABULARY = {f"t{number}": number for number in range(100)}


@pytest.mark.parametrize(
    ("draft", "relation"),
    [
        (VOCABULARY, "same"),
        (VOCABULARY | {"<extra>": 100}, "extended"),
        ({token: id_ for token, id_ in VOCABULARY.items() if id_ < 98}, "extended"),
        (VOCABULARY | {"t0": 1, "t1": 0}, "different"),
        ({token: id_ for token, id_ in VOCABULARY.items() if id_ != 5} | {"other": 5}, "different"),
        ({f"u{number}": number for number in range(100)}, "different"),
        ({"t0": 0}, "different"),
    ],
)
def test_vocabularies_are_compared_by_what_their_ids_mean(draft: dict[str, int], relation: str) -> None:
    assert compare(VOCABULARY, draft).relation == relation


def test_the_share_of_common_strings_is_of_the_draft() -> None:
    draft = {f"t{number}": 99 - number for number in range(25)} | {f"u{number}": number for number in range(75)}
    assert compare(VOCABULARY, draft).shared == 0.25


def test_added_tokens_and_unigram_lists_are_read(tmp_path: Path) -> None:
    content = tokenizer_json({"a": 0, "b": 1}, added=(("<s>", 2), ("a", 0)))
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    assert read_folder(tmp_path) == {"a": 0, "b": 1, "<s>": 2}
    content["model"] = {"type": "Unigram", "vocab": [["<unk>", 0.0], ["x", -1.5]]}
    (tmp_path / "u").mkdir()
    (tmp_path / "u" / "tokenizer.json").write_text(json.dumps(content | {"added_tokens": []}))
    assert read_folder(tmp_path / "u") == {"<unk>": 0, "x": 1}


def test_the_fingerprint_depends_on_ids_and_strings_only() -> None:
    assert fingerprint({"a": 0, "b": 1}) == fingerprint({"b": 1, "a": 0})
    assert fingerprint({"a": 0, "b": 1}) != fingerprint({"a": 1, "b": 0})
    assert fingerprint({"a": 0}) != fingerprint({"a": 0, "b": 1})
