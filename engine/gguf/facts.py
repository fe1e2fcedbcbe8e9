"""What a list of models says of a GGUF file: sizes, quantisation, context, and why it cannot be converted."""

from __future__ import annotations

import re
from collections import Counter
from math import prod
from pathlib import Path
from typing import NamedTuple

from engine.errors import ModelNotUsable
from engine.files.folder_paths import size_of
from engine.gguf.architectures import check_tensors, model_of
from engine.gguf.header import SETTINGS_BYTES, GgufFile, read_gguf
from engine.gguf.tokenizer import kind_of
from engine.gguf.weights import stored_bytes
from engine.model_files.config import check_sizes


class GgufFacts(NamedTuple):
    """Figures of a GGUF file, or of all files of a split one; `model_files.model.Model` says what they mean."""

    bytes: int
    weight_bytes: int = 0
    active_bytes: int = 0
    parameters: int = 0
    bits: int | None = None
    context: int | None = None
    architecture: str = ""
    problem: str = ""
    detail: str = ""


def read_facts(file: Path) -> GgufFacts:
    """Return what a file's header says; a file that cannot be converted has a problem. Raises nothing."""
    facts = GgufFacts(size_of(file))
    try:
        content = read_gguf(file, SETTINGS_BYTES)
        facts = _figures(content)
        entry, settings, config = model_of(content)
        check_sizes(file, config)
        check_tensors(content, entry, settings)
        kind_of(content.metadata, file)
    except ModelNotUsable as error:
        return facts._replace(problem=error.reason, detail=error.detail)
    return facts


def _figures(content: GgufFile) -> GgufFacts:
    sizes: Counter[str] = Counter()
    for tensor in content.tensors.values():
        sizes[tensor.kind.name] += tensor.nbytes
    [(kind, _)] = sizes.most_common(1) or [("", 0)]
    context = content.metadata.get(f"{content.architecture}.context_length")
    width = re.search(r"\d+", kind)
    weights = sum(stored_bytes(tensor.kind, prod(tensor.shape), tensor.nbytes) for tensor in content.tensors.values())
    return GgufFacts(
        bytes=sum(map(size_of, content.files)),
        weight_bytes=weights,
        active_bytes=weights,
        parameters=sum(prod(tensor.shape) for tensor in content.tensors.values()),
        bits=int(width[0]) if width else None,
        context=context if type(context) is int else None,
        architecture=content.architecture[:80],
    )
