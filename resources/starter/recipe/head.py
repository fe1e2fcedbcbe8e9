"""A DFlash head in torch: drafts a block of tokens in one pass, from hidden states of the main model.

DFlash: arXiv:2602.06036. The block's first row is the anchor, the last token that is known, as the main model embeds
it; the others are masks, and each predicts the token at its place. All of them look at the block and, through keys and
values made of the main model's tapped layers, at every token before the anchor. Parameter names are those of the
published heads, so a state dict is exported as it is; embedding and output matrix are the main model's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from resources.starter.recipe.model import MAIN, FeedForward, Projections, RMSNorm, Shape, rotary_angles, rotate

if TYPE_CHECKING:
    from resources.starter.recipe.model import LanguageModel


@dataclass(frozen=True)
class HeadShape:
    """A head's layers have the main model's sizes; `taps` counts layers from 0 and means their outputs."""

    main: Shape = MAIN
    num_hidden_layers: int = 2
    taps: tuple[int, ...] = (1, 3, 5)
    block_size: int = 16
    mask_token: int = 0

    def config(self) -> dict[str, object]:
        """config.json, as z-lab publishes its heads for Qwen3."""
        return {
            **self.main.config(),
            "architectures": ["DFlashDraftModel"],
            "num_hidden_layers": self.num_hidden_layers,
            "num_target_layers": self.main.num_hidden_layers,
            "layer_types": ["full_attention"] * self.num_hidden_layers,
            "sliding_window": None,
            "use_sliding_window": False,
            "block_size": self.block_size,
            "dflash_config": {"mask_token_id": self.mask_token, "target_layer_ids": list(self.taps)},
        }


class HeadAttention(Projections):
    def forward(self, x: Tensor, context: Tensor, angles: Angles, mask: Tensor | None) -> Tensor:
        rows, length, _ = x.shape
        both = torch.cat([context, x], dim=1)
        queries = self.q_norm(self.q_proj(x).view(rows, length, -1, self.shape.head_dim)).transpose(1, 2)
        keys = self.k_norm(self.k_proj(both).view(rows, both.shape[1], -1, self.shape.head_dim)).transpose(1, 2)
        values = self.v_proj(both).view(rows, both.shape[1], -1, self.shape.head_dim).transpose(1, 2)
        queries, keys = rotate(queries, *angles.of_block), rotate(keys, *angles.of_both)
        mixed = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.o_proj(mixed.transpose(1, 2).reshape(rows, length, -1))


@dataclass(frozen=True)
class Angles:
    """Cosines and sines for the block's rows, and for the context's rows followed by the block's."""

    of_block: tuple[Tensor, Tensor]
    of_both: tuple[Tensor, Tensor]


class HeadLayer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(shape.hidden_size, shape.rms_norm_eps)
        self.self_attn = HeadAttention(shape, shape.hidden_size)
        self.post_attention_layernorm = RMSNorm(shape.hidden_size, shape.rms_norm_eps)
        self.mlp = FeedForward(shape)

    def forward(self, x: Tensor, context: Tensor, angles: Angles, mask: Tensor | None) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), context, angles, mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class Head(nn.Module):
    """`forward` gives the hidden states of block rows; `LanguageModel.logits` turns them into scores."""

    def __init__(self, shape: HeadShape) -> None:
        super().__init__()
        self.shape = shape
        size, eps = shape.main.hidden_size, shape.main.rms_norm_eps
        self.fc = nn.Linear(len(shape.taps) * size, size, bias=False)
        self.hidden_norm = RMSNorm(size, eps)
        self.layers = nn.ModuleList(HeadLayer(shape.main) for _ in range(shape.num_hidden_layers))
        self.norm = RMSNorm(size, eps)
        cos, sin = rotary_angles(shape.main, shape.main.max_position_embeddings + shape.block_size)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        for name, parameter in self.named_parameters():
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                nn.init.zeros_(parameter)
            elif parameter.ndim == 2:
                nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)

    def forward(self, block: Tensor, positions: Tensor, taps: Tensor, mask: Tensor | None = None) -> Tensor:
        """Hidden states (rows, length, hidden_size) of embedded block rows of the same shape.

        `positions` (rows, length) are the block rows' places in the text, `taps` (rows, before, taps * hidden_size)
        the tapped layers at places 0..before-1; `mask` (rows, 1, length, before + length) is true where a row may look.
        """
        context = self.hidden_norm(self.fc(taps))
        before = torch.arange(taps.shape[1]).expand(len(taps), -1)
        of_both = torch.cat([before, positions], dim=1)
        angles = Angles(self._angles(positions, context.dtype), self._angles(of_both, context.dtype))
        x = block.to(context.dtype)
        for layer in self.layers:
            x = layer(x, context, angles, mask)
        return self.norm(x)

    def begin_at(self, main: LanguageModel) -> None:
        """Take over main's last layers and norm; they see what main's last layer sees of the last tap.

        A head that begins so learns faster than one whose layers begin at random.
        """
        layers, size = main.model.layers, self.shape.main.hidden_size
        for layer, mains in zip(self.layers, layers[-len(self.layers) :], strict=True):
            layer.load_state_dict(mains.state_dict())
        self.norm.load_state_dict(main.model.norm.state_dict())
        self.hidden_norm.load_state_dict(layers[-1].input_layernorm.state_dict())
        with torch.no_grad():
            self.fc.weight.zero_()
            self.fc.weight[:, -size:] = torch.eye(size)

    def _angles(self, positions: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        return self.cos[positions][:, None].to(dtype), self.sin[positions][:, None].to(dtype)

    def blocks_of(self, main: LanguageModel, anchors: Tensor) -> Tensor:
        """Embedded blocks (..., block_size, hidden_size) of anchor tokens (...): each before its masks."""
        masks = torch.full((*anchors.shape, self.shape.block_size - 1), self.shape.mask_token)
        return main.model.embed_tokens(torch.cat([anchors[..., None], masks], dim=-1))
