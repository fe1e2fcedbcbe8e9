"""A head start in copying: weights that find where the last token stood before and copy what followed it.

Two heads do that in every language model that can repeat a text (Olsson et al., 2022): one carries each
token's predecessor along, another looks for one that equals the present token and copies from there.
Training alone finds them last, after more steps than two processor cores have time for, so both models begin
with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

    from resources.starter.recipe.model import Attention, LanguageModel

_FAST, _SLOW = (
    6,
    14,
)  # rotary frequencies: the first few tell neighbours apart, those after hardly turn in a chat
_NEIGHBOUR_GAIN, _MATCH_GAIN = 2.0, 1.5
_CARRIED, _COPIED = 0.04, 0.15


@torch.no_grad()
def wire_copying(model: LanguageModel) -> None:
    """Write both heads into the first two layers of a model that has just been initialised."""
    embedding = model.model.embed_tokens.weight
    shared = torch.sign(torch.randn(embedding.shape[1]))
    embedding += embedding.std() * shared
    carried = _orthonormal(model.shape.head_dim, shared)
    written = _orthonormal(model.shape.head_dim, shared)
    _wire_predecessor(model.model.layers[0].self_attn, shared, carried, written)
    _wire_match(model.model.layers[1].self_attn, shared, carried, written)


def _orthonormal(rows: int, shared: Tensor) -> Tensor:
    """Random orthonormal rows (rows, hidden_size) at right angles to what all embeddings share."""
    drawn = torch.randn(len(shared), rows)
    drawn -= torch.outer(shared, shared @ drawn) / len(shared)
    return torch.linalg.qr(drawn).Q.T


def _wire_predecessor(attention: Attention, shared: Tensor, carried: Tensor, written: Tensor) -> None:
    """Head 0 attends one position back, whatever stands there, and writes what it carries."""
    size = attention.shape.head_dim
    half = size // 2
    angles = attention.shape.rope_theta ** (-torch.arange(_FAST) / half)
    query, key = torch.zeros(size), torch.zeros(size)
    query[:_FAST] = 1.0
    key[:_FAST], key[half : half + _FAST] = angles.cos(), angles.sin()
    attention.q_proj.weight[:size] = torch.outer(query, shared) / len(shared) ** 0.5
    attention.k_proj.weight[:size] = torch.outer(key, shared) / len(shared) ** 0.5
    attention.v_proj.weight[:size] = carried
    attention.o_proj.weight[:, :size] = _CARRIED * written.T
    for norm in (attention.q_norm, attention.k_norm):
        norm.weight[:_FAST] = _NEIGHBOUR_GAIN
        norm.weight[half : half + _FAST] = _NEIGHBOUR_GAIN


def _wire_match(attention: Attention, shared: Tensor, carried: Tensor, written: Tensor) -> None:
    """Heads 0 and 1 attend where the predecessor equals the present token, and copy what stands there."""
    size = attention.shape.head_dim
    half = size // 2
    slow = torch.cat([torch.arange(_SLOW, half), torch.arange(half + _SLOW, size)])
    for head in range(2):
        rows = slice(head * size, (head + 1) * size)
        query, key = torch.zeros_like(carried), torch.zeros_like(written)
        query[slow], key[slow] = carried[slow], written[slow]
        copied = _orthonormal(size, shared)
        attention.q_proj.weight[rows], attention.k_proj.weight[rows] = query, key
        attention.v_proj.weight[rows] = copied
        attention.o_proj.weight[:, rows] = _COPIED * copied.T
    for norm in (attention.q_norm, attention.k_norm):
        norm.weight[slow] = _MATCH_GAIN
