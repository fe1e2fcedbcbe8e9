"""Heads in torch that draft one token after the other: EAGLE-3 and MTP.

EAGLE-3: arXiv:2503.01840; MTP: arXiv:2412.19437 in the layout of Qwen3.5. A pair is a token and the main model's
features of the token before it. One layer reads all pairs so far and gives the next token's scores; for the draft
tokens after that, its own output stands for the features that main has not computed yet. Parameter names are those of
the published heads, so a state dict is exported as it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from resources.starter.recipe.model import MAIN, FeedForward, Projections, RMSNorm, Shape, rotary_angles, rotate

if TYPE_CHECKING:
    from resources.starter.recipe.model import LanguageModel

# The number of chained steps in training, and of additional positions that they need.
STEPS = 3


@dataclass(frozen=True)
class EagleShape:
    """An EAGLE-3 head; `taps` counts layers from 0 and means their outputs."""

    main: Shape = MAIN
    taps: tuple[int, ...] = (1, 3, 5)
    num_key_value_heads: int = 2
    intermediate_size: int = 512
    draft_vocab_size: int = 2048

    @property
    def layer(self) -> Shape:
        return replace(
            self.main, num_key_value_heads=self.num_key_value_heads, intermediate_size=self.intermediate_size
        )

    def config(self) -> dict[str, object]:
        """config.json, as SpecForge and AngelSlim publish their heads."""
        return {
            **self.layer.config(),
            "architectures": ["LlamaForCausalLMEagle3"],
            "model_type": "llama",
            "num_hidden_layers": 1,
            "tie_word_embeddings": False,
            "target_hidden_size": self.main.hidden_size,
            "num_target_layers": self.main.num_hidden_layers,
            "draft_vocab_size": self.draft_vocab_size,
            "eagle_config": {
                "eagle_aux_hidden_state_layer_ids": list(self.taps),
                "use_aux_hidden_state": True,
            },
        }


@dataclass(frozen=True)
class MtpShape:
    """An MTP head, whose layer has the main model's sizes."""

    main: Shape = MAIN

    @property
    def layer(self) -> Shape:
        return self.main

    def config(self) -> dict[str, object]:
        """config.json, as mlx-vlm writes it for heads that it splits off their main model."""
        return {"model_type": "qwen3_mtp", "text_config": self.main.config()}


@dataclass
class Seen:
    """Keys and values of the pairs (rows, heads, length, size), and one such pair a step for what was chained."""

    pairs: tuple[Tensor, Tensor] | None = None
    own: tuple[tuple[Tensor, Tensor], ...] = ()


class ChainAttention(Projections):
    """Attention of each row to the true pairs up to its own, and to the steps chained after it."""

    def forward(self, x: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor, seen: Seen) -> Tensor:
        """`mask` (rows, 1, length, length) is true where a row may look at a pair."""
        rows, length, _ = x.shape
        split = (rows, length, -1, self.shape.head_dim)
        queries, keys = self.q_proj(x).view(split), self.k_proj(x).view(split)
        if self.norms:
            queries, keys = self.q_norm(queries), self.k_norm(keys)
        queries, keys = rotate(queries.transpose(1, 2), *angles), rotate(keys.transpose(1, 2), *angles)
        values = self.v_proj(x).view(split).transpose(1, 2)
        group = self.shape.num_attention_heads // self.shape.num_key_value_heads
        keys, values = (one.repeat_interleave(group, dim=1) for one in (keys, values))
        if seen.pairs is None:
            seen.pairs = (keys, values)
            mixed = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        else:
            seen.own = (*seen.own, (keys, values))
            mixed = _with_own_steps(queries, seen, mask)
        return self.o_proj(mixed.transpose(1, 2).reshape(rows, length, -1))


def _with_own_steps(queries: Tensor, seen: Seen, mask: Tensor) -> Tensor:
    assert seen.pairs is not None
    keys, values = seen.pairs
    scale = queries.shape[-1] ** -0.5
    scores = (queries @ keys.mT * scale).masked_fill(~mask, float("-inf"))
    own = [(queries * own_keys).sum(-1, keepdim=True) * scale for own_keys, _ in seen.own]
    weights = torch.cat([scores, *own], dim=-1).float().softmax(-1).to(values.dtype)
    mixed = weights[..., : keys.shape[2]] @ values
    for step, (_, own_values) in enumerate(seen.own):
        mixed = mixed + weights[..., keys.shape[2] + step, None] * own_values
    return mixed


class ChainHead(nn.Module, ABC):
    """`step` reads one more token in each row, `forward` one for each step; `scores` takes their rows."""

    shape: EagleShape | MtpShape

    def __init__(self, layer: Shape) -> None:
        super().__init__()
        cos, sin = rotary_angles(layer, layer.max_position_embeddings + STEPS)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    @abstractmethod
    def features(self, main: LanguageModel, tokens: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return main's features of `tokens`, for `entry`, and its hidden states, both without gradients."""

    @abstractmethod
    def entry(self, features: Tensor) -> Tensor:
        """Return features as the head's first step takes them (rows, length, hidden_size)."""

    @abstractmethod
    def step(self, embedded: Tensor, hidden: Tensor, mask: Tensor, seen: Seen, offset: int) -> Tensor:
        """Hidden states, for `scores` and the next step, of embedded tokens and the hidden states before them.

        `offset` counts the steps before it: positions are those of the row, plus `offset`.
        """

    @abstractmethod
    def scores(self, main: LanguageModel, hidden: Tensor) -> Tensor:
        """Return the scores (..., `targets`) of hidden states."""

    @property
    @abstractmethod
    def targets(self) -> Tensor:
        """Return the token of each column of the scores."""

    @abstractmethod
    def begin_at(self, main: LanguageModel) -> None:
        """Copy the weights of main that make the first scores sensible."""

    def forward(self, features: Tensor, embedded: tuple[Tensor, ...], mask: Tensor) -> tuple[Tensor, ...]:
        """The hidden states of one step after the other, each fed with those before it.

        `features` are main's (rows, length, ...), `embedded` each step's tokens (rows, length, hidden_size), `mask`
        (rows, 1, length, length) is true where a row may look at a pair.
        """
        hidden, seen, found = self.entry(features), Seen(), []
        for offset, tokens in enumerate(embedded):
            hidden = self.step(tokens, hidden, mask, seen, offset)
            found.append(hidden)
        return tuple(found)

    def _angles(self, like: Tensor, offset: int) -> tuple[Tensor, Tensor]:
        places = slice(offset, offset + like.shape[1])
        return self.cos[places].to(like.dtype), self.sin[places].to(like.dtype)

    def _initialise(self) -> None:
        for name, parameter in self.named_parameters():
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                nn.init.zeros_(parameter)
            elif parameter.ndim == 2:
                nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)


class EagleLayer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        size, eps = shape.hidden_size, shape.rms_norm_eps
        self.input_layernorm = RMSNorm(size, eps)
        self.hidden_norm = RMSNorm(size, eps)
        self.self_attn = ChainAttention(shape, 2 * size, norms=False)
        self.post_attention_layernorm = RMSNorm(size, eps)
        self.mlp = FeedForward(shape)

    def forward(
        self, embedded: Tensor, hidden: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor, seen: Seen
    ) -> Tensor:
        both = torch.cat([self.input_layernorm(embedded), self.hidden_norm(hidden)], dim=-1)
        x = hidden + self.self_attn(both, angles, mask, seen)
        return x + self.mlp(self.post_attention_layernorm(x))


class EagleHead(ChainHead):
    """EAGLE-3: three tapped layers of main, and its own output matrix for the most frequent tokens."""

    shape: EagleShape

    def __init__(self, shape: EagleShape) -> None:
        super().__init__(shape.layer)
        self.shape = shape
        size, eps = shape.main.hidden_size, shape.main.rms_norm_eps
        self.fc = nn.Linear(len(shape.taps) * size, size, bias=False)
        self.midlayer = EagleLayer(shape.layer)
        self.norm = RMSNorm(size, eps)
        self.lm_head = nn.Linear(size, shape.draft_vocab_size, bias=False)
        self.register_buffer("d2t", torch.zeros(shape.draft_vocab_size, dtype=torch.int64))
        self.register_buffer("t2d", torch.zeros(shape.main.vocab_size, dtype=torch.bool))
        self._initialise()

    def choose_targets(self, counts: Tensor) -> None:
        """Draft the tokens with the highest `counts` (vocab_size)."""
        chosen = counts.argsort(descending=True, stable=True)[: self.shape.draft_vocab_size].sort().values
        self.d2t.copy_(chosen - torch.arange(len(chosen)))
        self.t2d.zero_()
        self.t2d[chosen] = True

    def features(self, main: LanguageModel, tokens: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        hidden, taps = main.tapped(tokens, self.shape.taps, mask)
        assert taps is not None
        return taps, hidden

    def entry(self, features: Tensor) -> Tensor:
        return self.fc(features)

    def step(self, embedded: Tensor, hidden: Tensor, mask: Tensor, seen: Seen, offset: int) -> Tensor:
        return self.midlayer(embedded.to(hidden.dtype), hidden, self._angles(hidden, offset), mask, seen)

    def scores(self, main: LanguageModel, hidden: Tensor) -> Tensor:
        del main
        return self.lm_head(self.norm(hidden))

    @property
    def targets(self) -> Tensor:
        return self.d2t + torch.arange(len(self.d2t))

    def begin_at(self, main: LanguageModel) -> None:
        """Main's output matrix and last norm, for the tokens that were chosen."""
        self.norm.load_state_dict(main.model.norm.state_dict())
        with torch.no_grad():
            self.lm_head.weight.copy_(main.model.embed_tokens.weight[self.targets])


class MtpLayer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        size, eps = shape.hidden_size, shape.rms_norm_eps
        self.input_layernorm = RMSNorm(size, eps)
        self.self_attn = ChainAttention(shape, size, norms=True)
        self.post_attention_layernorm = RMSNorm(size, eps)
        self.mlp = FeedForward(shape)

    def forward(self, x: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor, seen: Seen) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), angles, mask, seen)
        return x + self.mlp(self.post_attention_layernorm(x))


class MtpNetwork(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        size, eps = shape.hidden_size, shape.rms_norm_eps
        self.fc = nn.Linear(2 * size, size, bias=False)
        self.pre_fc_norm_embedding = RMSNorm(size, eps)
        self.pre_fc_norm_hidden = RMSNorm(size, eps)
        self.layers = nn.ModuleList([MtpLayer(shape)])
        self.norm = RMSNorm(size, eps)


class MtpHead(ChainHead):
    """MTP: main's last hidden state, and its embedding and output matrix."""

    shape: MtpShape

    def __init__(self, shape: MtpShape) -> None:
        super().__init__(shape.layer)
        self.shape = shape
        self.mtp = MtpNetwork(shape.layer)
        self._initialise()

    def features(self, main: LanguageModel, tokens: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        hidden = main(tokens, mask)
        return hidden, hidden

    def entry(self, features: Tensor) -> Tensor:
        return features

    def step(self, embedded: Tensor, hidden: Tensor, mask: Tensor, seen: Seen, offset: int) -> Tensor:
        mtp = self.mtp
        both = [mtp.pre_fc_norm_embedding(embedded.to(hidden.dtype)), mtp.pre_fc_norm_hidden(hidden)]
        x = mtp.layers[0](mtp.fc(torch.cat(both, dim=-1)), self._angles(hidden, offset), mask, seen)
        return mtp.norm(x)

    def scores(self, main: LanguageModel, hidden: Tensor) -> Tensor:
        return main.logits(hidden)

    @property
    def targets(self) -> Tensor:
        return torch.arange(self.shape.main.vocab_size)

    def begin_at(self, main: LanguageModel) -> None:
        """Main's last layer and norm; the fusion passes the hidden state on."""
        self.mtp.layers[0].load_state_dict(main.model.layers[-1].state_dict())
        self.mtp.norm.load_state_dict(main.model.norm.state_dict())
        size = self.shape.main.hidden_size
        with torch.no_grad():
            self.mtp.fc.weight[:, :size].mul_(0.1)
            self.mtp.fc.weight[:, size:].copy_(torch.eye(size))
