"""Writes the golden tensors of MiMo-V2-Flash's heads: transformers' decoder layers, fed as SGLang feeds them.

Layer d reads the main model's state at each position and the token 1 + d further on, at the state's position
(sglang/srt/models/mimo_v2_flash_nextn.py). transformers has no such head, but the layer. Run in the environment `t` of
README.md.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from transformers.models.mimo_v2_flash.configuration_mimo_v2_flash import MiMoV2FlashConfig
from transformers.models.mimo_v2_flash.modeling_mimo_v2_flash import (
    MiMoV2FlashDecoderLayer,
    MiMoV2FlashRMSNorm,
    MiMoV2FlashRotaryEmbedding,
)

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import cases
import mtp_cases as c

CASE = c.CASES["mtp_mimo_v2_flash"]
SHARED = {name: tensor.float() for name, tensor in load_file(c.WEIGHTS).items()}
MAIN = load_file(cases.WEIGHTS)
EMBEDDING, OUTPUT = (MAIN[f"main.{name}.weight"].float() for name in ("embed_tokens", "lm_head"))
SLIDING = "sliding_attention"


def config() -> MiMoV2FlashConfig:
    text = dict(CASE.text)
    rope = {"rope_type": "default", "rope_theta": text["swa_rope_theta"]}
    made = MiMoV2FlashConfig(
        **{name: text[name] for name in ("hidden_size", "intermediate_size", "vocab_size", "head_dim", "v_head_dim")},
        num_attention_heads=text["swa_num_attention_heads"],
        num_key_value_heads=text["num_key_value_heads"],
        num_hidden_layers=c.STEP_LAYERS,
        sliding_window_size=text["sliding_window_size"],
        attention_value_scale=text["attention_value_scale"],
        rms_norm_eps=text["layernorm_epsilon"],
        layer_types=[SLIDING] * c.STEP_LAYERS,
        mlp_layer_types=["dense"] * c.STEP_LAYERS,
        rope_parameters={SLIDING: rope | {"partial_rotary_factor": text["partial_rotary_factor"]}},
    )
    made._attn_implementation = "eager"
    return made


class Layer(nn.Module):
    def __init__(self, config: MiMoV2FlashConfig, index: int) -> None:
        super().__init__()
        width, eps = config.hidden_size, config.rms_norm_eps
        self.enorm, self.hnorm = MiMoV2FlashRMSNorm(width, eps), MiMoV2FlashRMSNorm(width, eps)
        self.eh_proj = nn.Linear(2 * width, width, bias=False)
        self.block = MiMoV2FlashDecoderLayer(config, index)
        self.final_layernorm = MiMoV2FlashRMSNorm(width, eps)
        self.rotary, self.window = MiMoV2FlashRotaryEmbedding(config), config.sliding_window
        names = {"pre_mlp_layernorm.": "post_attention_layernorm.", "attention_sink_bias": "sinks"}
        weights = {}
        for name, shape in CASE.tensors.items():
            if name.startswith(f"{index}."):
                own = name.removeprefix(f"{index}.")
                own = own if own.startswith(("enorm", "hnorm", "eh_proj", "final")) else f"block.{own}"
                for published, theirs in names.items():
                    own = own.replace(published, theirs)
                weights[own] = SHARED[c.shared_name(name, shape)]
        missing, unexpected = self.load_state_dict(weights, strict=False)
        assert not unexpected, unexpected
        assert all("inv_freq" in name for name in missing), missing

    def forward(self, ids: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        places = torch.arange(ids.shape[1])
        apart = places[:, None] - places[None]
        mask = torch.zeros(apart.shape).masked_fill((apart < 0) | (apart >= self.window), float("-inf"))
        x = self.eh_proj(torch.cat([self.enorm(EMBEDDING[ids]), self.hnorm(states)], dim=-1))
        x = self.block(x, attention_mask=mask, position_embeddings=self.rotary(x, places[None], SLIDING))
        return self.final_layernorm(x[0] if isinstance(x, tuple) else x) @ OUTPUT.T


@torch.no_grad()
def main() -> None:
    layers = [Layer(config(), index).eval() for index in range(c.STEP_LAYERS)]
    logits, chains = None, []
    for rows in itertools.accumulate(c.ROUNDS):
        tokens, states, chain = list(c.TOKENS[1 : rows + 1]), SHARED["states"][:, :rows], []
        for depth, layer in enumerate(layers):
            scores = layer(torch.tensor([tokens[depth:]]), states)[0]
            logits = scores if depth == 0 else logits
            chain.append(scores[-1])
            tokens.append(int(chain[-1].argmax()))
        chains.append(torch.stack(chain))
    path = c.HERE / "mtp_mimo_v2_flash.safetensors"
    made = {"logits": logits.contiguous(), "chains": torch.stack(chains)}
    save_file(made, path, {"reference": "transformers, fed as by sglang"})
    print("mtp_mimo_v2_flash", path.stat().st_size, "bytes", tuple(made["chains"].shape))


if __name__ == "__main__":
    main()
