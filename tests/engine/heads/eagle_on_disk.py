"""Writes EAGLE-3 heads to disk and runs them, for the tests of engine/heads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import mlx.core as mx

from engine.heads.head import Head, HeadContext, HeadProposal
from engine.heads.loading import load_head
from tests.engine.heads import heads_on_disk
from tests.engine.heads.golden import eagle_cases
from tests.engine.heads.golden.eagle_cases import EagleCase
from tests.engine.heads.heads_on_disk import write_head

SHARED: dict[str, mx.array] = {
    name: array.astype(mx.float32) if array.dtype == mx.float16 else array
    for name, array in mx.load(str(eagle_cases.WEIGHTS)).items()  # type: ignore[union-attr]
}
TAPS, EMBEDDING = SHARED["taps"], SHARED["main.embed_tokens.weight"]
TOKENS = eagle_cases.TOKENS


def tensors_of(case: EagleCase) -> dict[str, mx.array]:
    """What the file of the case's head holds, by its own names."""
    return {name: SHARED[eagle_cases.shared_name(name, shape)] for name, shape in case.shapes.items()}


def bound(folder: Path, case: EagleCase, tensors: Mapping[str, mx.array] | None = None) -> Head:
    """The case's head with its own or other `tensors`, written, loaded and bound."""
    return load_bound(write_head(folder, case.config, tensors_of(case) if tensors is None else tensors))


def load_bound(folder: Path) -> Head:
    """The head in a folder, bound to the main model of all cases."""
    head = load_head(folder)
    ports = heads_on_disk.main_ports(eagle_cases.MAIN_LAYERS)
    head.bind(replace(ports, embed=lambda ids: EMBEDDING[ids]))
    return head


def extend(head: Head, context: HeadContext, rows: int, *, late: int = 0) -> None:
    """The next rows of the text; the taps are those of `late` rows earlier."""
    start = context.length
    head.extend(context, mx.roll(TAPS, late, axis=1)[:, start : start + rows], TOKENS[start : start + rows])


def propose(head: Head, context: HeadContext, count: int = eagle_cases.STEPS) -> HeadProposal:
    """A proposal to follow the next token of the text, whose tokens are those of the text whatever is likely."""
    anchor = context.length

    def told(first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
        del scores, ids
        return mx.array([TOKENS[(anchor + 1 + first) % len(TOKENS)]], mx.int32)

    return head.propose(context, mx.array([TOKENS[anchor]], mx.int32), count, told)


def proposals(head: Head, context: HeadContext, *, late: int = 0) -> list[HeadProposal]:
    """What the head proposes after each round."""
    made = []
    for rows in eagle_cases.ROUNDS:
        extend(head, context, rows, late=late)
        made.append(propose(head, context))
    return made
