"""Writes the golden tensors of the MTP cases of speculators: logits of every pair, each read with those before it.

Run in the environment `t` of README.md:  TORCH_COMPILE_DISABLE=1 python mtp_torch_references.py
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from speculators.config import SpeculatorsConfig, VerifierConfig
from speculators.models.mtp import MTPDraftModel, MTPSpeculatorConfig
from speculators.proposals.greedy import GreedyTokenProposalConfig
from transformers import AutoConfig

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import cases
import mtp_cases as c

SHARED = {name: tensor.float() for name, tensor in load_file(c.WEIGHTS).items()}
MAIN = {name: tensor.float() for name, tensor in load_file(cases.WEIGHTS).items()}
NAMES = {
    "fc.": "input_proj.",
    "pre_fc_norm_embedding.": "token_layernorm.",
    "pre_fc_norm_hidden.": "hidden_layernorm.",
    "norm.": "final_layernorm.",
    "layers.0.": "",
}


def their_name(name: str) -> str:
    ours, theirs = next((ours, theirs) for ours, theirs in NAMES.items() if name.startswith(ours))
    return f"mtp_layers.0.{theirs}{name.removeprefix(ours)}"


def network(case: c.MtpCase) -> MTPDraftModel:
    kind = case.text["model_type"]
    layer = AutoConfig.for_model(kind, **{k: v for k, v in copy.deepcopy(dict(case.text)).items() if k != "model_type"})
    layer._attn_implementation = "eager"
    layer._experts_implementation = "eager"
    model = MTPDraftModel(
        MTPSpeculatorConfig(
            transformer_layer_config=layer,
            speculators_config=SpeculatorsConfig(
                algorithm="mtp",
                proposal_methods=[GreedyTokenProposalConfig(speculative_tokens=1)],
                default_proposal_method="greedy",
                verifier=VerifierConfig(name_or_path=None, architectures=[]),
            ),
        )
    )
    model = model.float().eval()
    state = {}
    for name, shape in case.tensors.items():
        tensor = SHARED[c.shared_name(name, shape)]
        state[their_name(name)] = tensor - 1 if case.zero_centred and len(shape) == 1 else tensor
    for index in range(c.EXPERTS):
        # speculators' own converter fuses experts like this.
        parts = [state.pop(f"mtp_layers.0.mlp.experts.{index}.{n}_proj.weight", None) for n in ("gate", "up", "down")]
        if parts[0] is not None:
            fused = state.setdefault("experts", ([], []))
            fused[0].append(torch.cat(parts[:2]))
            fused[1].append(parts[2])
    if "experts" in state:
        gate_up, down = state.pop("experts")
        state["mtp_layers.0.mlp.experts.gate_up_proj"] = torch.stack(gate_up)
        state["mtp_layers.0.mlp.experts.down_proj"] = torch.stack(down)
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected, unexpected
    assert not [name for name in missing if name.startswith("mtp_layers")], missing
    model.embed_tokens.weight.data = MAIN["main.embed_tokens.weight"]
    model.lm_head.weight.data = MAIN["main.lm_head.weight"]
    return model


@torch.no_grad()
def main() -> None:
    for name, case in c.CASES.items():
        if case.reference != "speculators":
            continue
        # It reads all rows but the last two, which it wants as targets.
        ids = torch.tensor([[*c.TOKENS, 0]])
        states = torch.cat([SHARED["states"], torch.zeros(1, 2, c.WIDTH)], dim=1)
        [logits], *_ = network(case)(input_ids=ids, hidden_states=states)
        path = c.HERE / f"{name}.safetensors"
        save_file({"logits": logits[0].contiguous()}, path, {"reference": "speculators mtp"})
        print(f"{name:22} {path.stat().st_size:7} bytes", tuple(logits.shape))


if __name__ == "__main__":
    main()
