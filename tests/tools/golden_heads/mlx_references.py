"""Writes the golden tensors of Laguna and of Gemma 4's DSpark with mlx-vlm.

Compares those of torch with dflash's MLX network and dflash-mlx.

Run in the environment `v` of README.md, after torch_references.py.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import dflash.model_mlx as dflash
import mlx.core as mx
from dflash_mlx.model import DFlashDraftModel, DFlashDraftModelArgs, FullContextDraftKVCache
from mlx_vlm.speculative.drafters.gemma4_dspark import Gemma4DsparkConfig, Gemma4DSparkDraftModel
from mlx_vlm.speculative.drafters.laguna_dflash import Model, ModelConfig

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import cases as c

SHARED = {
    name: array.astype(mx.float32) if array.dtype == mx.float16 else array
    for name, array in mx.load(str(c.WEIGHTS)).items()
}
EMBEDDING, OUTPUT = SHARED["main.embed_tokens.weight"], SHARED["main.lm_head.weight"]


class Main:
    """The parts of a main model that the references use."""

    class embed_tokens:  # noqa: N801
        as_linear = None

        def __call__(self, ids):
            return EMBEDDING[ids]

    embed_tokens = embed_tokens()

    def lm_head(self, hidden):
        return hidden @ OUTPUT.T


def tensors(case: c.Case) -> dict[str, mx.array]:
    return {name: mx.concatenate([SHARED[part] for part in shared.split("+")]) for name, shared in case.tensors.items()}


def rounds(case: c.Case):
    start = 0
    for rows, anchor in zip(case.rounds, c.ANCHORS, strict=False):
        yield mx.array([[anchor] + [c.MASK] * (c.BLOCK - 1)]), SHARED["taps"][:, start : start + rows]
        start += rows


def laguna(case: c.Case) -> mx.array:
    model = Model(ModelConfig.from_dict(dict(case.config)))
    model.load_weights(list(tensors(case).items()))
    model.embed_tokens, model.lm_head = Main.embed_tokens, Main().lm_head
    cache = model.make_cache()
    return mx.concatenate([model(ids, taps, cache)[:, 1:] for ids, taps in rounds(case)])


def gemma(case: c.Case) -> dict[str, mx.array]:
    model = Gemma4DSparkDraftModel(Gemma4DsparkConfig.from_dict(dict(case.config)))
    model.load_weights(list(model.sanitize(tensors(case)).items()))
    # mlx-vlm 0.7.10 needs a projection of values here, which a layer that uses its keys as values does not have.
    model._project_context_kv = lambda _: None
    cache = model.make_cache()
    made: dict[str, list[mx.array]] = {"logits": [], "tokens": [], "confidence": []}
    for ids, taps in rounds(case):
        hidden = model._hidden(ids, taps, cache)
        previous, logits = ids[:, 0], []
        for base in model._logits(hidden).swapaxes(0, 1):
            logits.append(model.markov_head.apply_step_logits(base, previous))
            previous = mx.argmax(logits[-1], axis=-1)
        scores = mx.concatenate(logits)
        tokens = mx.argmax(scores, axis=-1)
        made["logits"].append(scores)
        made["tokens"].append(tokens.astype(mx.int32))
        made["confidence"].append(model.confidence(hidden, ids[:, 0], tokens[None])[0])
    return {name: mx.stack(arrays) for name, arrays in made.items()}


def dflash_mlx(case: c.Case) -> mx.array:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps(case.config))
        mx.save_safetensors(f"{folder}/model.safetensors", tensors(case))
        dflash.snapshot_download = lambda path, **_: path
        model = dflash.load_draft(folder)
    model.bind(Main())
    cache = model.make_cache()
    return mx.concatenate([model(ids, taps, cache, logits_start=1) for ids, taps in rounds(case)])


def bstnxbt(case: c.Case) -> mx.array:
    model = DFlashDraftModel(DFlashDraftModelArgs.from_dict(dict(case.config)))
    model.load_weights(list(tensors(case).items()))
    cache = [FullContextDraftKVCache() for _ in model.layers]
    made = []
    for ids, taps in rounds(case):
        made.append(model(noise_embedding=EMBEDDING[ids], target_hidden=taps, cache=cache)[:, 1:] @ OUTPUT.T)
    return mx.concatenate(made)


def main() -> None:
    golden = laguna(c.CASES["laguna"])
    mx.save_safetensors(str(c.HERE / "laguna.safetensors"), {"logits": golden}, {"reference": "mlx-vlm laguna_dflash"})
    golden = gemma(c.CASES["dspark_gemma"])
    mx.save_safetensors(str(c.HERE / "dspark_gemma.safetensors"), golden, {"reference": "mlx-vlm gemma4_dspark"})
    for name in ("full", "full_causal", "sliding", "sliding_bidirectional", "mixed"):
        truth = mx.load(str(c.HERE / f"{name}.safetensors"))["logits"]
        for reference in (dflash_mlx, bstnxbt):
            apart = mx.abs(reference(c.CASES[name]) - truth).max(axis=(1, 2)).tolist()
            print(f"{name:22} {reference.__name__:10}", " ".join(f"{value:.1e}" for value in apart))


if __name__ == "__main__":
    main()
