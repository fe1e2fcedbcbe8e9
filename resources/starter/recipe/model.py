"""The Qwen3 architecture in torch, small enough to train on two CPU cores.

Parameter names are those of the published format, so a state dict is exported as it is.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

CONTEXT_LENGTH = 2048


@dataclass(frozen=True)
class Shape:
    """Sizes of one model; the two models of a pair share the vocabulary."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    intermediate_size: int
    vocab_size: int = 4096
    max_position_embeddings: int = CONTEXT_LENGTH
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10000.0

    def config(self) -> dict[str, object]:
        """The fields of config.json that describe the architecture."""
        return {
            "model_type": "qwen3",
            "architectures": ["Qwen3ForCausalLM"],
            **asdict(self),
            "rope_scaling": None,
            "tie_word_embeddings": True,
            "attention_bias": False,
            "hidden_act": "silu",
        }


YOUNG_MAIN = Shape(
    hidden_size=256,
    num_hidden_layers=5,
    num_attention_heads=4,
    num_key_value_heads=4,
    head_dim=64,
    intermediate_size=768,
)
MAIN = replace(YOUNG_MAIN, num_hidden_layers=7)
DRAFT = Shape(
    hidden_size=160,
    num_hidden_layers=1,
    num_attention_heads=4,
    num_key_value_heads=4,
    head_dim=64,
    intermediate_size=640,
)


class RMSNorm(nn.Module):
    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, (x.shape[-1],), self.weight.to(x.dtype), self.eps)


def rotary_angles(shape: Shape, length: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines of positions 0..length-1, each (length, head_dim)."""
    half = torch.arange(0, shape.head_dim, 2, dtype=torch.float32) / shape.head_dim
    angles = torch.outer(torch.arange(length, dtype=torch.float32), shape.rope_theta**-half)
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


class Projections(nn.Module):
    """The matrices of an attention layer that reads `inputs` features of each token, with Qwen3's norms if `norms`."""

    def __init__(self, shape: Shape, inputs: int, *, norms: bool = True) -> None:
        super().__init__()
        self.shape = shape
        queries = shape.num_attention_heads * shape.head_dim
        keys = shape.num_key_value_heads * shape.head_dim
        self.q_proj = nn.Linear(inputs, queries, bias=False)
        self.k_proj = nn.Linear(inputs, keys, bias=False)
        self.v_proj = nn.Linear(inputs, keys, bias=False)
        self.o_proj = nn.Linear(queries, shape.hidden_size, bias=False)
        if norms:
            self.q_norm = RMSNorm(shape.head_dim, shape.rms_norm_eps)
            self.k_norm = RMSNorm(shape.head_dim, shape.rms_norm_eps)
        self.norms = norms


class Attention(Projections):
    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor | None, past: list[Tensor] | None) -> Tensor:
        rows, length, _ = x.shape
        heads = (rows, length, -1, self.shape.head_dim)
        queries = self.q_norm(self.q_proj(x).view(heads)).transpose(1, 2)
        keys = self.k_norm(self.k_proj(x).view(heads)).transpose(1, 2)
        values = self.v_proj(x).view(heads).transpose(1, 2)
        queries, keys = rotate(queries, cos, sin), rotate(keys, cos, sin)
        if past is not None:
            keys = torch.cat([*past[:1], keys], dim=2)
            values = torch.cat([*past[1:], values], dim=2)
            past[:] = [keys, values]
        is_causal = mask is None and length > 1
        mixed = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, is_causal=is_causal)
        return self.o_proj(mixed.transpose(1, 2).reshape(rows, length, -1))


class FeedForward(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.hidden_size, shape.intermediate_size, bias=False)
        self.up_proj = nn.Linear(shape.hidden_size, shape.intermediate_size, bias=False)
        self.down_proj = nn.Linear(shape.intermediate_size, shape.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(shape.hidden_size, shape.rms_norm_eps)
        self.self_attn = Attention(shape, shape.hidden_size)
        self.post_attention_layernorm = RMSNorm(shape.hidden_size, shape.rms_norm_eps)
        self.mlp = FeedForward(shape)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor | None, past: list[Tensor] | None) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask, past)
        return x + self.mlp(self.post_attention_layernorm(x))


class Backbone(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocab_size, shape.hidden_size)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.num_hidden_layers))
        self.norm = RMSNorm(shape.hidden_size, shape.rms_norm_eps)


class LanguageModel(nn.Module):
    """Qwen3 with tied embeddings; `forward` gives hidden states, `logits` turns rows of them into scores."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.model = Backbone(shape)
        cos, sin = rotary_angles(shape, shape.max_position_embeddings)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self._initialise()

    def _initialise(self) -> None:
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                nn.init.normal_(parameter, std=0.02 if "embed" in name else parameter.shape[1] ** -0.5)
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                nn.init.zeros_(parameter)

    def forward(self, tokens: Tensor, mask: Tensor | None = None, past: list[list[Tensor]] | None = None) -> Tensor:
        """Hidden states (rows, length, hidden_size) of token ids (rows, length).

        `mask` is (rows, 1, length, length), true where a query may look; without it attention is causal.
        `past` holds one list a layer, empty at first, and is extended with the keys and values of `tokens`;
        once it is not empty, `length` must be 1.
        """
        return self.tapped(tokens, (), mask, past)[0]

    def tapped(
        self,
        tokens: Tensor,
        taps: tuple[int, ...],
        mask: Tensor | None = None,
        past: list[list[Tensor]] | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """As `forward`, and the outputs of the layers in `taps` side by side: (rows, length, taps * hidden_size)."""
        start = past[0][0].shape[2] if past and past[0] else 0
        end = start + tokens.shape[1]
        x = self.model.embed_tokens(tokens)
        dtype = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else x.dtype
        cos, sin = self.cos[start:end].to(dtype), self.sin[start:end].to(dtype)
        tapped = []
        for index, layer in enumerate(self.model.layers):
            x = layer(x, cos, sin, mask, past[index] if past is not None else None)
            if index in taps:
                tapped.append(x)
        return self.model.norm(x), torch.cat(tapped, dim=-1) if tapped else None

    def logits(self, hidden: Tensor) -> Tensor:
        """Scores (..., vocab_size) of hidden states (..., hidden_size)."""
        return functional.linear(hidden, self.model.embed_tokens.weight)


# Where the layers of a young main stand in the deeper one; the layers between them are new.
_OLD_LAYERS = (0, 1, 2, 4, 6)


def deepened(young: LanguageModel) -> LanguageModel:
    """A main model of full depth that computes what `young` does: its new layers add nothing yet.

    Depth pays once the easy things are learned; till then, steps of a shallower model are cheaper.
    """
    main = LanguageModel(MAIN)
    main.model.embed_tokens.load_state_dict(young.model.embed_tokens.state_dict())
    main.model.norm.load_state_dict(young.model.norm.state_dict())
    for place, layer in zip(_OLD_LAYERS, young.model.layers, strict=True):
        main.model.layers[place].load_state_dict(layer.state_dict())
    return main
