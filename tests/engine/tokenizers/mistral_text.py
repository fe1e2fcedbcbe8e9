"""The example by which wrong conversions of Mistral's vocabulary became known."""

from __future__ import annotations

from pathlib import Path

from engine.files.disk_pool import DiskPool
from engine.tokenizers.loading import make_tokenizer

TEXT = "'The'"
# The rule by which many conversions of Mistral's vocabulary split text: Llama 3's.
OF_LLAMA = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


def pieces(folder: Path) -> list[str]:
    with DiskPool() as disk:
        tokenizer = make_tokenizer(folder, disk).tokenizer
    return [tokenizer.decode([token]) for token in tokenizer.encode(TEXT, add_special_tokens=False)]
