"""Writes weights and golden tensors of Gemma 4's assistants: the logits of transformers after each round, greedily.

Run in the environment `t` of README.md. Keys, values and states are random, in the shapes of a main model's.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from transformers import Gemma4AssistantConfig, Gemma4AssistantForCausalLM, Gemma4TextConfig

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import assistant_cases as a
import cases
import mtp_cases as c

# transformers 5.23.0 refuses models without a layer that makes its own keys, and so every assistant.
Gemma4TextConfig.kv_sharing_modes = property(lambda config: ["reuse"] * config.num_hidden_layers)


def make_weights() -> dict[str, torch.Tensor]:
    made = {}
    for name, shape in a.CASES["assistant_gemma4_ordered"].tensors.items():
        random = np.random.default_rng(zlib.crc32(name.encode()))
        numbers = random.standard_normal(shape)
        made[name] = 1 + 0.3 * numbers if len(shape) == 1 else 1.4 / np.sqrt(shape[-1]) * numbers
    random = np.random.default_rng(20)
    for kind, heads in a.KV_HEADS.items():
        size = a.WIDE_DIM if kind == "full_attention" else a.HEAD_DIM
        for part in ("keys", "values"):
            made[f"{kind}.{part}"] = 0.5 * random.standard_normal((1, heads, sum(c.ROUNDS), size))
    found = {name: torch.tensor(numbers, dtype=torch.float16) for name, numbers in made.items()}
    found["token_ordering"] = torch.tensor(random.permutation(a.VOCABULARY))
    return found


@torch.no_grad()
def chains(case: a.AssistantCase, shared: dict[str, torch.Tensor]) -> torch.Tensor:
    model = Gemma4AssistantForCausalLM(Gemma4AssistantConfig(**case.config)).float().eval()
    weights = {name: shared[name].float() for name in case.tensors}
    if case.ordered:
        weights["masked_embedding.token_ordering"] = shared["token_ordering"]
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert set(missing) | set(unexpected) <= {"lm_head.weight"}
    model.tie_weights()
    main = load_file(cases.WEIGHTS)
    embedding, states = main["main.embed_tokens.weight"].float(), load_file(c.WEIGHTS)["states"].float()
    found, rows = [], 0
    for count in c.ROUNDS:
        rows += count
        first = {"full_attention": 0, "sliding_attention": max(0, rows - a.WINDOW)}
        seen = {
            kind: tuple(shared[f"{kind}.{part}"].float()[:, :, first[kind] : rows] for part in ("keys", "values"))
            for kind in a.KV_HEADS
        }
        token, state, chain = c.TOKENS[rows], states[:, rows - 1 : rows], []
        for _ in range(c.STEPS):
            given = torch.cat([embedding[None, None, token], state], dim=-1)
            out = model(inputs_embeds=given, position_ids=torch.tensor([[rows]]), shared_kv_states=seen)
            state, token = out.last_hidden_state, int(out.logits[0, -1].argmax())
            chain.append(out.logits[0, -1])
        found.append(torch.stack(chain))
    return torch.stack(found)


def main() -> None:
    shared = make_weights()
    save_file(shared, a.WEIGHTS)
    for name, case in a.CASES.items():
        path = a.HERE / f"{name}.safetensors"
        save_file({"chains": chains(case, shared)}, path, {"reference": "transformers"})
        print(name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
