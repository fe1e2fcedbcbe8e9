"""Writes the golden tensors of all cases but Laguna's, with the torch networks of dflash, specforge and speculators.

Run in the environment `t` of README.md:  TORCH_COMPILE_DISABLE=1 python torch_references.py
"""

from __future__ import annotations

import copy
import sys
from dataclasses import replace
from pathlib import Path

import dflash.model as dflash
import torch
from safetensors.torch import load_file, save_file
from specforge.modeling.draft.domino import DominoDraftModel
from specforge.modeling.draft.dspark import DSparkDraftModel
from speculators.models.dflash import DFlashSpeculatorConfig
from speculators.models.dflash.core import DFlashDraftModel as SpeculatorsDraftModel
from transformers import Qwen3Config
from transformers.models.mimo_v2_flash import modeling_mimo_v2_flash as mimo_v2

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import cases as c

SHARED = {name: t.float() if t.is_floating_point() else t for name, t in load_file(c.WEIGHTS).items()}
EMBEDDING, OUTPUT = SHARED["main.embed_tokens.weight"], SHARED["main.lm_head.weight"]


def rounds(case: c.Case):
    """Yield the anchor, the new context rows and the anchor's position of each round."""
    start = 0
    for rows, anchor in zip(case.rounds, c.ANCHORS, strict=False):
        yield anchor, SHARED["taps"][:, start : start + rows], start + rows
        start += rows


def network(model_class, case: c.Case):
    config = copy.deepcopy(dict(case.config))
    nested = config["dflash_config"]
    if "causal" in nested:
        config["is_causal"] = nested["causal"]
    made = Qwen3Config(**config)
    made._attn_implementation = "sdpa"
    model = model_class(made).float().eval()
    state = {name: SHARED[shared] for name, shared in case.tensors.items()}
    for name in ("predecessor_codebook", "successor_codebook"):
        key = f"candidate_selector.{name}"
        if key in state:
            state[f"{key}.weight"] = state.pop(key)
    model.load_state_dict(state, strict=True)
    return model


def hidden_rows(model, cache, anchor: int, masks: int, taps, position: int):
    """Return the hidden states of anchor and masks; only the context rows stay in the cache."""
    ids = torch.tensor([[anchor] + [c.MASK] * masks])
    scale = float(dflash._draft_value(model.config, "input_embedding_scale", 1.0))
    hidden = dflash.DFlashDraftModel.forward(
        model,
        target_hidden=taps,
        noise_embedding=EMBEDDING[ids] * scale,
        position_ids=torch.arange(position - taps.shape[1], position + 1 + masks)[None],
        past_key_values=cache,
        use_cache=True,
    )
    dflash._crop_to(cache, position)
    return hidden


def dflash_backbone():
    """specforge's own attention takes its masks from its training; its heads run on dflash's backbone here."""
    backbone = network(dflash.DFlashDraftModel, c.Case(c.base_config(), c.same(c.BACKBONE)))
    cache = dflash._make_cache(backbone.config)
    return lambda anchor, masks, taps, position: hidden_rows(backbone, cache, anchor, masks, taps, position)


def plain(case: c.Case) -> dict[str, torch.Tensor]:
    model = network(dflash.DFlashDraftModel, case)
    cache = dflash._make_cache(model.config)
    logits = [
        model.compute_logits(hidden_rows(model, cache, a, c.BLOCK - 1, t, p)[:, 1:], lambda h: h @ OUTPUT.T)
        for a, t, p in rounds(case)
    ]
    return {"logits": torch.cat(logits)}


def mimo(case: c.Case) -> dict[str, torch.Tensor]:
    """dflash's network with the attention of transformers' MiMo-V2-Flash: sinks, and partial rotary positions.

    Values are scaled and masks embedded as vLLM does it (qwen3_dflash.py). The mask's embedding is saved beside the
    golden tensors, in the form of the published file.
    """
    model = network(dflash.DFlashDraftModel, replace(case, tensors=c.same(c.BACKBONE)))
    turned, scale = int(c.HEAD_DIM * case.config["partial_rotary_factor"]), 0.612
    model.rotary_emb.inv_freq = 1 / case.config["rope_theta"] ** (torch.arange(0, turned, 2).float() / turned)
    for index, layer in enumerate(model.layers):
        layer.self_attn.sinks = SHARED[f"layers.{index}.self_attn.attention_sink_bias"]

    def attend(module, q, k, v, mask, **settings):
        hidden = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
        return mimo_v2.eager_attention_forward(module, q, k, v * scale, hidden, settings["scaling"])

    def turn(q, k, cos, sin):
        turned_q, _ = mimo_v2.apply_rotary_pos_emb(q, q, cos[:, -q.shape[-2] :], sin[:, -q.shape[-2] :])
        return turned_q, mimo_v2.apply_rotary_pos_emb(k, k, cos, sin)[1]

    mask = SHARED["mask_embedding"].bfloat16()
    torch.save({"mask_token_id": c.MASK, "embedding": mask}, c.HERE / c.MASK_FILE)
    kept, row = (dflash.ALL_ATTENTION_FUNCTIONS["sdpa"], dflash.apply_rotary_pos_emb), EMBEDDING[c.MASK].clone()
    dflash.ALL_ATTENTION_FUNCTIONS["sdpa"], dflash.apply_rotary_pos_emb = attend, turn
    EMBEDDING[c.MASK] = mask.float()
    cache = dflash._make_cache(model.config)
    logits = [hidden_rows(model, cache, a, c.BLOCK - 1, t, p)[:, 1:] @ OUTPUT.T for a, t, p in rounds(case)]
    dflash.ALL_ATTENTION_FUNCTIONS["sdpa"], dflash.apply_rotary_pos_emb = kept
    EMBEDDING[c.MASK] = row
    return {"logits": torch.cat(logits)}


def dflash2(case: c.Case) -> dict[str, torch.Tensor]:
    """Compute the likeliest tokens, and the `probabilities` of the candidates in the order of their ids."""
    model = network(dflash.DFlash2DraftModel, case)
    dflash._sample_probs = lambda probabilities: probabilities.argmax(-1)
    cache = dflash._make_cache(model.config)
    tokens, ids, probabilities = [], [], []
    for anchor, taps, position in rounds(case):
        hidden = hidden_rows(model, cache, anchor, c.BLOCK - 1, taps, position)[:, 1:]
        path, candidates, q = model.propose(hidden, torch.tensor([anchor]), lambda h: h @ OUTPUT.T, 1.0)
        ordered = candidates.argsort(-1)
        tokens.append(path)
        ids.append(candidates.gather(-1, ordered))
        probabilities.append(q.gather(-1, ordered))
    made = {"tokens": tokens, "ids": ids, "probabilities": probabilities}
    return {name: torch.cat(values).contiguous() for name, values in made.items()}


def dspark(case: c.Case) -> dict[str, torch.Tensor]:
    model = network(DSparkDraftModel, case)
    hidden_of = dflash_backbone()
    tokens, logits, confidence = [], [], []
    for anchor, taps, position in rounds(case):
        hidden = hidden_of(anchor, c.BLOCK - 1, taps, position)
        drawn, corrected = model.markov_head.sample_block_tokens(
            hidden @ OUTPUT.T, first_prev_token_ids=torch.tensor([anchor]), hidden_states=hidden
        )
        before = torch.cat([torch.tensor([[anchor]]), drawn[:, :-1]], dim=1)
        tokens.append(drawn)
        logits.append(corrected)
        confidence.append(model.predict_confidence(hidden, prev_token_ids=before).sigmoid())
    return {"tokens": torch.cat(tokens), "logits": torch.cat(logits), "confidence": torch.cat(confidence)}


def domino(case: c.Case) -> dict[str, torch.Tensor]:
    model = network(DominoDraftModel, case)
    hidden_of = dflash_backbone()
    tokens, logits = [], []
    for anchor, taps, position in rounds(case):
        hidden = hidden_of(anchor, c.BLOCK - 1, taps, position)
        base = (hidden @ OUTPUT.T)[:, None]
        ids = torch.tensor([[anchor] + [c.MASK] * (c.BLOCK - 1)])
        rows = []
        for index in range(1, c.BLOCK):
            final = model.apply_logits_head(
                base, prev_token_embeddings=EMBEDDING[ids][:, None], hidden_states=hidden[:, None]
            )
            rows.append(final[:, 0, index - 1 if model.shift_label else index])
            ids[:, index] = rows[-1].argmax(-1)
        tokens.append(ids[:, 1:].clone())
        logits.append(torch.stack(rows, dim=1))
    return {"tokens": torch.cat(tokens), "logits": torch.cat(logits)}


def speculators(case: c.Case) -> dict[str, torch.Tensor]:
    """Run one training pass a round, over all context rows and one anchored block after them."""
    config = copy.deepcopy(dict(case.config))
    config.pop("speculators_config")
    made = DFlashSpeculatorConfig(**config)
    made.transformer_layer_config._attn_implementation = "eager"
    model = SpeculatorsDraftModel(made).float().eval()
    state = {name: SHARED[shared] for name, shared in case.tensors.items()}
    state["embed_tokens.weight"] = EMBEDDING
    state.setdefault("lm_head.weight", OUTPUT)
    state["verifier_lm_head.weight"] = state["lm_head.weight"]
    state["verifier_norm.weight"] = torch.ones(c.WIDTH)
    model.load_state_dict(state, strict=True)
    anchors_of = sys.modules[SpeculatorsDraftModel.__module__]
    logits = []
    for anchor, _, position in rounds(case):
        # Rows from the anchor on are never seen; the block needs ids there.
        total = position + c.BLOCK
        taps = torch.zeros(1, total, SHARED["taps"].shape[-1])
        taps[:, :position] = SHARED["taps"][:, :position]
        ids = torch.full((1, total), 3)
        ids[0, position] = anchor
        anchors_of.select_anchors = lambda *_, p=position, **__: (torch.tensor([p]), torch.tensor([True]))
        _, rows, *_ = model._backbone_forward(
            taps,
            ids,
            torch.ones(1, total),
            torch.zeros(1, total, c.WIDTH),
            torch.zeros(1, total, dtype=torch.long),
            max_anchors=1,
        )
        logits.append(rows[:, 1:])
    return {"logits": torch.cat(logits)}


MAKERS = {
    "dflash2": dflash2,
    "dspark": dspark,
    "domino": domino,
    "speculators": speculators,
    "mimo": mimo,
    "laguna": None,
}


@torch.inference_mode()
def main() -> None:
    for name, case in c.CASES.items():
        make = next((maker for kind, maker in MAKERS.items() if name.startswith(kind)), plain)
        if case.golden or make is None:
            continue
        golden = {key: value.contiguous() for key, value in make(case).items()}
        path = c.HERE / f"{name}.safetensors"
        save_file(golden, path, {"reference": make.__name__})
        print(f"{name:22} {path.stat().st_size:7} bytes", {key: tuple(value.shape) for key, value in golden.items()})


if __name__ == "__main__":
    main()
