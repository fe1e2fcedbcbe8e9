"""Writes weights.safetensors: random weights, embeddings and taps that all cases share. Needs numpy and safetensors."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import cases as c


def main() -> None:
    random = np.random.default_rng(18)
    made: dict[str, np.ndarray] = {}

    def normal(name: str, *shape: int, scale: float = 0.0) -> None:
        made[name] = random.standard_normal(shape) * (scale or 1.4 / np.sqrt(shape[-1]))

    def norm(name: str, size: int) -> None:
        made[name] = 1 + 0.3 * random.standard_normal(size)

    normal("main.embed_tokens.weight", c.VOCABULARY, c.WIDTH, scale=1.0)
    normal("main.lm_head.weight", c.VOCABULARY, c.WIDTH)
    normal("taps", 1, sum(c.ROUNDS), len(c.TAPS) * c.WIDTH, scale=1.0)
    normal("fc.weight", c.WIDTH, len(c.TAPS) * c.WIDTH)
    for name in ("hidden_norm", "norm"):
        norm(f"{name}.weight", c.WIDTH)
    queries, keys = c.HEADS * c.HEAD_DIM, c.KV_HEADS * c.HEAD_DIM
    for index in range(c.LAYERS):
        layer = f"layers.{index}."
        attention = {"q_proj": (queries, c.WIDTH), "k_proj": (keys, c.WIDTH), "v_proj": (keys, c.WIDTH)}
        for name, shape in attention.items():
            normal(f"{layer}self_attn.{name}.weight", *shape)
        normal(f"{layer}self_attn.o_proj.weight", c.WIDTH, queries)
        normal(f"{layer}self_attn.g_proj.weight", c.HEADS, c.WIDTH)
        for name in ("q_norm", "k_norm"):
            norm(f"{layer}self_attn.{name}.weight", c.HEAD_DIM)
        for name in ("gate_proj", "up_proj"):
            normal(f"{layer}mlp.{name}.weight", c.INNER, c.WIDTH)
        normal(f"{layer}mlp.down_proj.weight", c.WIDTH, c.INNER)
        for name in ("input_layernorm", "post_attention_layernorm"):
            norm(f"{layer}{name}.weight", c.WIDTH)
        norm(f"aux_hidden_norms.{index}.weight", c.WIDTH)
        for conv in ("attention_conv", "mlp_conv"):
            normal(f"{layer}{conv}.base_kernel", 2, 2, c.WIDTH, scale=0.3)
            normal(f"{layer}{conv}.kernel_projection.weight", 2 * 2 * (c.WIDTH // 16), c.WIDTH, scale=0.05)
    normal("candidate_selector.predecessor_codebook", c.VOCABULARY, c.RANK, scale=0.7)
    normal("candidate_selector.successor_codebook", c.VOCABULARY, c.RANK, scale=0.7)
    normal("candidate_selector.hidden_projection.weight", c.RANK, c.WIDTH)
    normal("markov_head.markov_w1.weight", c.VOCABULARY, c.RANK, scale=1.0)
    normal("markov_head.markov_w2.weight", c.VOCABULARY, c.RANK)
    normal("markov_head.gate_proj.weight", c.RANK, c.WIDTH + c.RANK)
    normal("markov_head.gate_proj.bias", c.RANK, scale=0.5)
    normal("markov_head.joint_proj.weight", 3 * c.RANK, 2 * c.RANK + c.WIDTH)
    normal("markov_head.joint_proj.bias", 3 * c.RANK, scale=0.5)
    normal("confidence_head.proj.weight", 1, c.WIDTH + c.RANK)
    normal("confidence_head.proj.bias", 1, scale=0.5)
    normal("prefix_gru.weight_ih_l0", 3 * c.GRU_WIDTH, c.WIDTH)
    normal("prefix_gru.weight_hh_l0", 3 * c.GRU_WIDTH, c.GRU_WIDTH)
    normal("embed_proj.0.weight", c.GRU_INNER, c.WIDTH + c.GRU_WIDTH)
    normal("embed_proj.2.weight", c.VOCABULARY, c.GRU_INNER)
    chosen = np.sort(random.choice(c.VOCABULARY, c.DRAFTED, replace=False))
    for index in range(c.LAYERS):
        normal(f"layers.{index}.self_attn.attention_sink_bias", c.HEADS, scale=1.0)
    normal("mask_embedding", c.WIDTH, scale=1.0)
    halves = {name: array.astype(np.float16) for name, array in made.items()}
    halves["reduced.lm_head.weight"] = halves["main.lm_head.weight"][chosen]
    halves["reduced.d2t"] = (chosen - np.arange(c.DRAFTED)).astype(np.int64)
    halves["reduced.t2d"] = np.isin(np.arange(c.VOCABULARY), chosen)
    save_file(halves, c.WEIGHTS)
    print(c.WEIGHTS.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
