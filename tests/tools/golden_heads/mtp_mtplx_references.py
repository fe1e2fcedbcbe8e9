"""Writes the golden tensors of the MTP cases of MTPLX: logits of every pair, and greedy chains after each round.

Run in the environment `v` of README.md, where MTPLX is installed, too.
"""

from __future__ import annotations

import copy
import importlib
import itertools
import sys
from pathlib import Path

import mlx.core as mx
from mlx_lm.models.cache import CacheList, KVCache, RotatingKVCache
from mtplx import deepseek_mtp_patch, glm_mtp_patch, mimo_mtp_patch, step3p5_mtp_patch

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import cases
import mtp_cases as c

SHARED = {name: array.astype(mx.float32) for name, array in mx.load(str(c.WEIGHTS)).items()}
MAIN = mx.load(str(cases.WEIGHTS))
EMBEDDING, OUTPUT = (MAIN[f"main.{name}.weight"].astype(mx.float32) for name in ("embed_tokens", "lm_head"))


def network(case: c.MtpCase):
    """Build the layer and its surroundings as MTPLX adds them to mlx-lm's models."""
    config = copy.deepcopy(dict(case.text))
    kind = config["model_type"]
    args = importlib.import_module(f"mlx_lm.models.{kind}").ModelArgs.from_dict(copy.deepcopy(config))
    raw = {f"{case.prefix}{name}": SHARED[c.shared_name(name, shape)] for name, shape in case.tensors.items()}
    common = {"start_layer": c.MAIN_LAYERS, "num_mtp_layers": 1}
    if kind == "mimo":
        mtp = mimo_mtp_patch._make_mimo_mtp_module(config, args)
        weights = mimo_mtp_patch._rewrite_mimo_mtp_weights(raw, **common)
    elif kind.startswith("glm4"):
        mtp = glm_mtp_patch._make_glm_mtp_module(config, args)
        latent = kind == "glm4_moe_lite"
        weights = glm_mtp_patch._rewrite_glm_mtp_weights(raw, args=args, rewrite_mla_kv_b=latent, **common)
    else:
        mtp = deepseek_mtp_patch._make_deepseek_mtp_module(config, args)
        weights = deepseek_mtp_patch._rewrite_deepseek_mtp_weights(raw, args=args, **common)
    key = "lm_head.weight" if kind == "mimo" else "layers.0.shared_head_head.weight"
    mtp.load_weights([*weights.items(), (key, OUTPUT)], strict=True)
    return mtp


def read(case: c.MtpCase, mtp, ids, states, cache):
    made = mtp.layers[0](ids, states, embed_tokens=lambda tokens: EMBEDDING[tokens], cache=cache)
    return (mtp.lm_head(made), made) if case.text["model_type"] == "mimo" else made


def step() -> None:
    """Run one step: each layer reads the previous layer's output for all rows, and the tokens one position later."""
    case = c.CASES["mtp_step3p5"]
    args = importlib.import_module("mlx_lm.models.step3p5").ModelArgs.from_dict(copy.deepcopy(dict(case.text)))
    mtp = step3p5_mtp_patch._make_step_mtp_module(args, c.STEP_LAYERS, c.MAIN_LAYERS)
    shared = {name: SHARED[c.shared_name(name, shape)] - (len(shape) == 1) for name, shape in case.tensors.items()}
    raw = {f"{case.prefix}{name}": array for name, array in shared.items()}
    weights = step3p5_mtp_patch._rewrite_step_mtp_weights(raw, start_layer=c.MAIN_LAYERS, num_mtp_layers=c.STEP_LAYERS)
    weights = step3p5_mtp_patch._apply_zero_centered_norm_shift(weights)
    mtp.load_weights(list(weights.items()), strict=True)
    logits, chains = None, []
    for rows in itertools.accumulate(c.ROUNDS):
        tokens, states, chain = list(c.TOKENS[1 : rows + 1]), SHARED["states"][:, :rows], []
        for depth, layer in enumerate(mtp.layers):
            ids = mx.array([tokens[depth:]])
            cache = RotatingKVCache(max_size=args.sliding_window)
            scores, states = layer(ids, states, embed_tokens=lambda ids: EMBEDDING[ids], cache=cache)
            logits = scores[0] if depth == 0 else logits
            chain.append(scores[0, -1])
            tokens.append(int(mx.argmax(chain[-1]).item()))
        chains.append(mx.stack(chain))
    path = c.HERE / "mtp_step3p5.safetensors"
    mx.save_safetensors(str(path), {"logits": logits, "chains": mx.stack(chains)}, {"reference": "mtplx"})
    print("mtp_step3p5", path.stat().st_size, "bytes")


def main() -> None:
    step()
    for name, case in c.CASES.items():
        if case.reference != "mtplx":
            continue
        mtp = network(case)
        indexed = "index_topk" in case.text

        def cache(indexed=indexed):
            return CacheList(KVCache(), KVCache()) if indexed else KVCache()

        logits, _ = read(case, mtp, mx.array([c.TOKENS[1:]]), SHARED["states"], cache())
        chains = []
        for rows in itertools.accumulate(c.ROUNDS):
            kept, chain = cache(), []
            ids, states = mx.array([c.TOKENS[1 : rows + 1]]), SHARED["states"][:, :rows]
            for _ in range(c.STEPS):
                scores, states = read(case, mtp, ids, states, kept)
                states = states[:, -1:]
                chain.append(scores[0, -1])
                ids = mx.argmax(chain[-1])[None, None]
            chains.append(mx.stack(chain))
        path = c.HERE / f"{name}.safetensors"
        mx.save_safetensors(str(path), {"logits": logits[0], "chains": mx.stack(chains)}, {"reference": "mtplx"})
        print(f"{name:22} {path.stat().st_size:7} bytes", logits.shape)


if __name__ == "__main__":
    main()
