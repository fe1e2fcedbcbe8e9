"""Prints the difference of mlx-vlm's assistant from the golden tensors of transformers; run in the environment `v`.

mlx-vlm hides the oldest key of a full window, so it gets a window that is larger by one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mlx.core as mx
from mlx_vlm.speculative.drafters.gemma4_assistant import Model, ModelConfig

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import assistant_cases as a
import cases
import mtp_cases as c

SHARED = mx.load(str(a.WEIGHTS))
EMBEDDING = mx.load(str(cases.WEIGHTS))["main.embed_tokens.weight"].astype(mx.float32)
STATES = mx.load(str(c.WEIGHTS))["states"].astype(mx.float32)


def main() -> None:
    for name, case in a.CASES.items():
        config = case.config
        config["text_config"]["sliding_window"] += 1
        model = Model(ModelConfig.from_dict(config))
        weights = {key: SHARED[key].astype(mx.float32) for key in case.tensors}
        if case.ordered:
            weights["masked_embedding.token_ordering"] = SHARED["token_ordering"]
        model.load_weights(list(model.sanitize(weights).items()))
        model.bind(None)
        golden, rows = mx.load(str(a.HERE / f"{name}.safetensors"))["chains"], 0
        for index, count in enumerate(c.ROUNDS):
            rows += count
            first = {"full_attention": 0, "sliding_attention": max(0, rows - a.WINDOW)}
            seen = {
                kind: tuple(
                    SHARED[f"{kind}.{part}"].astype(mx.float32)[:, :, start:rows] for part in ("keys", "values")
                )
                for kind, start in first.items()
            }
            model.set_shared_kv(seen, kv_offset=rows)
            token, state, apart = c.TOKENS[rows], STATES[:, rows - 1 : rows], 0.0
            for step in range(c.STEPS):
                given = mx.concatenate([EMBEDDING[None, None, token], state], axis=-1)
                state, logits = model(given, seen, mx.array([[rows]]))
                token = int(mx.argmax(logits[0, -1]).item())
                apart = max(apart, mx.abs(logits[0, -1] - golden[index, step]).max().item())
            print(f"{name} {rows:2} rows {apart:.1e}")


if __name__ == "__main__":
    main()
