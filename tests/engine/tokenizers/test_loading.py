"""Tokenizers are built as their makers meant them, and libraries say nothing on the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.tokenizers.mistral_text import OF_LLAMA, pieces


def write_folder(folder: Path, control: tuple[str, ...], **config: Any) -> Path:
    """Write a folder with a vocabulary as large as those that transformers looks at, which knows the words of `TEXT`.

    Its first tokens are `control`.
    """
    tokens = [*control, *"'The", "he", "The", "'T", *(f"<{number}>" for number in range(100_000))]
    split = {"type": "Split", "pattern": {"Regex": OF_LLAMA}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    merges = [["h", "e"], ["T", "he"], ["'", "T"]]
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    content = {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None,
        "added_tokens": [{"id": index, "content": token, **special} for index, token in enumerate(control)],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]}, "decoder": level,
        "model": {"type": "BPE", "vocab": {token: index for index, token in enumerate(tokens)}, "merges": merges},
    }  # fmt: skip
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(content))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    (folder / "config.json").write_text(json.dumps({"model_type": "mistral", **config}))
    return folder


TEKKEN = ("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]")


@pytest.mark.parametrize(
    ("control", "config", "expected"),
    [
        (TEKKEN, {"transformers_version": "4.52.4"}, ["'", "The", "'"]),
        # transformers 5 writes the right rule itself.
        pytest.param(TEKKEN, {"transformers_version": "5.1.0"}, ["'T", "he", "'"], marks=pytest.mark.full),
        # A Mistral with another vocabulary, of which nobody knows better than its file; transformers warns.
        pytest.param(("<s>",), {}, ["'T", "he", "'"], marks=[pytest.mark.expects_log, pytest.mark.full]),
    ],
    ids=["a conversion", "a newer one", "another vocabulary"],
)
def test_mistrals_vocabulary_splits_text_by_mistrals_rule(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], control: tuple[str, ...], config: dict[str, Any], expected: Any
) -> None:
    assert pieces(write_folder(tmp_path / "mistral", control, **config)) == expected
    assert capfd.readouterr() == ("", "")
