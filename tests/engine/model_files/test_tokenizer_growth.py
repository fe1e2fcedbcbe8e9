"""Tokenizers are refused if they, or the decoder in the engine's process, could make a text too long or never end."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model_files.tokenizer_growth import grows_without_bounds


def replacing(content: str, times: int = 1, **pattern: str) -> dict[str, Any]:
    return {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": pattern, "content": content}] * times}


@pytest.mark.parametrize(
    "decoder",
    [
        {"type": "ByteLevel"},
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
        {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        {"type": "Sequence", "decoders": [replacing(" ", String="▁")["decoders"][0], {"type": "ByteFallback"}]},
        replacing("", Regex="^ "),
        None,
    ],
)
def test_decoders_as_they_are_published_are_taken(decoder: Any) -> None:
    assert not grows_without_bounds({"decoder": decoder})


@pytest.mark.parametrize(
    "decoder", [replacing("e" * 1000, String="q"), replacing("eee", 9, String="e"), replacing("b", Regex="(a+)+$")]
)
def test_a_decoder_that_could_hold_or_fill_the_engines_process_is_refused(decoder: Any) -> None:
    assert grows_without_bounds({"decoder": decoder})
