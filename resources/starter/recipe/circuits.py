"""A head start in copying: weights that find where the last token stood before and copy what followed it.

Two heads do that in every language model that can repeat a text (Olsson et al., 2022): one carries each
token's predecessor along, another looks for one that equals the present token and copies from there.
Training alone finds them last, after more steps than two processor cores have time for, so both models begin
with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from resources.starter.recipe.model import Attention, LanguageModel

Held = Sequence[tuple[Tensor, Tensor]]
"""Parts of parameters with their fixed values."""

# Rotary frequencies: the first few tell neighbours apart, those from _SLOW on hardly turn within a chat.
_FAST, _SLOW = 6, 14
_NEIGHBOUR_GAIN, _MATCH_GAIN = 2.0, 1.5
_CARRIED, _COPIED, _EMBEDDED = 0.5, 1.0, 0.08


@torch.no_grad()
def wire_copying(model: LanguageModel) -> Held:
    """Write both heads into the first two layers of a model that has just been initialised.

    Returns what is to be held at first: in the first steps everything moves, and would undo them.
    """
    embedding = model.model.embed_tokens.weight
    shared = torch.sign(torch.randn(embedding.shape[1]))
    embedding.copy_(_EMBEDDED * (torch.randn_like(embedding) + shared))
    head = model.shape.head_dim
    slow = torch.cat([torch.arange(_SLOW, head // 2), torch.arange(head // 2 + _SLOW, head)])
    basis = _orthonormal(shared)
    carried, written = torch.zeros(2, head, len(shared))
    carried[slow], written[slow] = basis[: len(slow)], basis[len(slow) : 2 * len(slow)]
    readable = torch.cat([basis[: len(slow)], basis[2 * len(slow) :]])
    first, second = model.model.layers[0].self_attn, model.model.layers[1].self_attn
    return [
        *_wire_predecessor(first, shared, carried, written),
        *_wire_match(second, slow, carried, written, readable),
    ]


def _orthonormal(shared: Tensor) -> Tensor:
    """Random orthonormal rows (hidden_size - 1, hidden_size) at right angles to what all embeddings share."""
    drawn = torch.randn(len(shared), len(shared))
    drawn[:, 0] = shared
    return torch.linalg.qr(drawn).Q.T[1:]


def _wire_predecessor(attention: Attention, shared: Tensor, carried: Tensor, written: Tensor) -> Held:
    """Make head 0 attend to the previous position, whatever its token, and copy its value."""
    size = attention.shape.head_dim
    half = size // 2
    angles = attention.shape.rope_theta ** (-torch.arange(_FAST) / half)
    query, key, gain = torch.zeros(size), torch.zeros(size), torch.ones(size)
    query[:_FAST] = 1.0
    key[:_FAST], key[half : half + _FAST] = angles.cos(), angles.sin()
    gain[:_FAST] = gain[half : half + _FAST] = _NEIGHBOUR_GAIN
    return _set(
        (attention.q_proj.weight[:size], torch.outer(query, shared) / len(shared) ** 0.5),
        (attention.k_proj.weight[:size], torch.outer(key, shared) / len(shared) ** 0.5),
        (attention.v_proj.weight[:size], carried),
        (attention.o_proj.weight[:, :size], _CARRIED * written.T),
        (attention.q_norm.weight, gain),
        (attention.k_norm.weight, gain),
    )


def _wire_match(attention: Attention, slow: Tensor, carried: Tensor, written: Tensor, readable: Tensor) -> Held:
    """Make heads 0 and 1 attend to positions whose predecessor equals the current token, and copy their tokens."""
    size = attention.shape.head_dim
    gain = torch.ones(size)
    gain[slow] = _MATCH_GAIN
    held = [*_set((attention.q_norm.weight, gain), (attention.k_norm.weight, gain))]
    for head in range(2):
        rows = slice(head * size, (head + 1) * size)
        copied = readable[torch.randperm(len(readable))[:size]] if head else readable[-size:]
        held += _set(
            (attention.q_proj.weight[rows], carried),
            (attention.k_proj.weight[rows], written),
            (attention.v_proj.weight[rows], copied),
            (attention.o_proj.weight[:, rows], _COPIED * copied.T),
        )
    return held


def _set(*parts: tuple[Tensor, Tensor]) -> Held:
    for part, value in parts:
        part.copy_(value)
    return list(parts)


@torch.no_grad()
def hold(held: Held) -> None:
    """Reset every fixed part to its value."""
    for part, value in held:
        part.copy_(value)
