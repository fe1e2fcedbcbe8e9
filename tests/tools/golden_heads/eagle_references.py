"""Writes the golden tensors of the EAGLE-3 cases, with the torch networks of speculators and specforge.

Run in the environment `t` of README.md:  TORCH_COMPILE_DISABLE=1 python eagle_references.py
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from specforge.modeling.draft.llama3_eagle import LlamaForCausalLMEagle3, prepare_decoder_attention_mask
from speculators.models.eagle3 import Eagle3DraftModel, Eagle3SpeculatorConfig
from transformers import LlamaConfig

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import eagle_cases as c

SHARED = {name: t.float() if t.is_floating_point() else t for name, t in load_file(c.WEIGHTS).items()}
# Rows after the end of the taps only supply the tokens of later steps; no result depends on them.
ROWS = len(c.TOKENS) - 1
TAPS = torch.cat([SHARED["taps"], torch.zeros(1, ROWS - SHARED["taps"].shape[1], SHARED["taps"].shape[2])], dim=1)
SHIFTED = torch.tensor([c.TOKENS[1:]])


def weights(case: c.EagleCase) -> dict[str, torch.Tensor]:
    return {name: SHARED[c.shared_name(name, shape)] for name, shape in case.shapes.items()}


def speculators(case: c.EagleCase) -> list[torch.Tensor]:
    config = copy.deepcopy(dict(case.config))
    config.pop("speculators_config")
    made = Eagle3SpeculatorConfig(**config)
    made.transformer_layer_config._attn_implementation = "eager"
    model = Eagle3DraftModel(made).float().eval()
    state = weights(case)
    state["embed_tokens.weight"] = SHARED["main.embed_tokens.weight"]
    state["verifier_lm_head.weight"] = state["lm_head.weight"]
    state["verifier_norm.weight"] = torch.ones(c.WIDTH)
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected, unexpected
    assert {*missing} <= {"d2t", "t2d"}, missing
    outputs: list[torch.Tensor] = []
    model.lm_head.register_forward_hook(lambda _m, _i, output: outputs.append(output.clone()))
    model(hidden_states=TAPS, input_ids=SHIFTED, document_ids=torch.zeros(1, ROWS, dtype=torch.long), ttt_steps=c.STEPS)
    return outputs


def specforge(case: c.EagleCase) -> list[torch.Tensor]:
    config = LlamaConfig(**{key: value for key, value in case.config.items() if key != "eagle_config"})
    config.pad_token_id = 0
    model = LlamaForCausalLMEagle3(config).float().eval()
    state = weights(case)
    state.setdefault("embed_tokens.weight", SHARED["main.embed_tokens.weight"])
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected, unexpected
    assert not [name for name in missing if "rotary" not in name], missing
    hidden, tokens, seen, outputs = model.project_hidden_states(TAPS), SHIFTED, [[], []], []
    mask = prepare_decoder_attention_mask(torch.ones(1, ROWS), (1, ROWS), hidden, 0)
    for _ in range(c.STEPS):
        hidden = model.backbone(
            input_embeds=model.embed_input_ids(tokens),
            hidden_states=hidden,
            cache_hidden=seen,
            attention_mask=mask,
            position_ids=torch.arange(ROWS)[None],
        )
        outputs.append(model.compute_logits(hidden))
        tokens = torch.cat([tokens[:, 1:], tokens.new_zeros(1, 1)], dim=1)
    return outputs


@torch.inference_mode()
def main() -> None:
    ends = [sum(c.ROUNDS[: index + 1]) for index in range(len(c.ROUNDS))]
    for name, case in c.CASES.items():
        if case.golden:
            continue
        made = {"speculators": speculators, "specforge": specforge}[case.reference](case)
        # (rounds, steps, drafted): the last true pair of each round, and the steps chained behind it.
        logits = torch.stack([torch.stack([step[0, end - 1] for step in made]) for end in ends])
        path = c.HERE / f"{name}.safetensors"
        save_file({"logits": logits.contiguous()}, path, {"reference": case.reference})
        note = ""
        if case.reference == "speculators" and name == "eagle_llama":
            twin = c.EagleCase(c.original(), {key.replace("layers.0", "midlayer"): v for key, v in case.shapes.items()})
            apart = max((a - b)[0, : ends[-1]].abs().max() for a, b in zip(made, specforge(twin), strict=True))
            note = f"specforge is {apart:.1e} from it"
        print(f"{name:22} {path.stat().st_size:7} bytes {tuple(logits.shape)} {logits.abs().max():.2f} {note}")


if __name__ == "__main__":
    main()
