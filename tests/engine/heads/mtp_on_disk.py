"""Writes MTP heads to disk and runs them, for the tests of engine/heads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.heads.head import Head, HeadContext, HeadProposal
from engine.heads.loading import load_head
from tests.engine.heads.golden import mtp_cases
from tests.engine.heads.golden.mtp_cases import MtpCase
from tests.engine.heads.heads_on_disk import likeliest, main_ports, write_head

SHARED: dict[str, mx.array] = {
    name: array.astype(mx.float32)
    for name, array in mx.load(str(mtp_cases.WEIGHTS)).items()  # type: ignore[union-attr]
}
STATES = SHARED["states"]


def published(case: MtpCase, prefix: str | None = None) -> dict[str, mx.array]:
    """The tensors of the case's head as its makers publish them, or with another prefix."""
    prefix = case.prefix if prefix is None else prefix
    less = {name: int(case.zero_centred and len(shape) == 1) for name, shape in case.tensors.items()}
    return {
        f"{prefix}{name}": SHARED[mtp_cases.shared_name(name, shape)] - less[name]
        for name, shape in case.tensors.items()
    }


def config_of(case: MtpCase) -> dict[str, Any]:
    """The config.json of a separate head, as mlx-vlm writes it."""
    return {"model_type": f"{case.text['model_type'].removesuffix('_text')}_mtp", "text_config": dict(case.text)}


def bound(folder: Path, case: MtpCase, tensors: Mapping[str, mx.array] | None = None) -> Head:
    """The case's head with its published or other `tensors`, written, loaded and bound."""
    head = load_head(write_head(folder, config_of(case), published(case) if tensors is None else tensors))
    head.bind(main_ports(mtp_cases.MAIN_LAYERS))
    return head


def extend(head: Head, context: HeadContext, rows: int, *, late: int = 0) -> None:
    """The next rows of the text; the states are those of `late` rows earlier."""
    start = context.length
    states = mx.roll(STATES, late, axis=1)[:, start : start + rows]
    head.extend(context, states, mtp_cases.TOKENS[start : start + rows])


def propose(head: Head, context: HeadContext, count: int = mtp_cases.STEPS) -> HeadProposal:
    """The likeliest tokens to follow the next one of the text."""
    return head.propose(context, mx.array([mtp_cases.TOKENS[context.length]], mx.int32), count, likeliest)


def proposals(head: Head, context: HeadContext, count: int = mtp_cases.STEPS, *, late: int = 0) -> list[HeadProposal]:
    """What the head proposes after each round."""
    made = []
    for rows in mtp_cases.ROUNDS:
        extend(head, context, rows, late=late)
        made.append(propose(head, context, count))
    return made
