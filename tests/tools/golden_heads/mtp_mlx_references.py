"""Adds the chains of mlx-vlm to the golden tensors of the MTP cases: STEPS logits after each round, greedily.

Run in the environment `v` of README.md, after mtp_torch_references.py. Prints how much the two differ.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import mlx.core as mx
from mlx_vlm.speculative.drafters.qwen3_5_mtp import Model, ModelConfig
from mlx_vlm.speculative.drafters.qwen3_5_mtp.split import Qwen3_5MTPSplitter, Qwen3NextMTPSplitter

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import cases
import mtp_cases as c

SHARED = {name: array.astype(mx.float32) for name, array in mx.load(str(c.WEIGHTS)).items()}
MAIN = {
    name: mx.load(str(cases.WEIGHTS))[name].astype(mx.float32)
    for name in ("main.embed_tokens.weight", "main.lm_head.weight")
}
EMBEDDING, OUTPUT = MAIN.values()


class MtpMain:
    """The parts of a main model that the reference uses."""

    class model:  # noqa: N801
        @staticmethod
        def embed_tokens(ids):
            return EMBEDDING[ids]

    @staticmethod
    def lm_head(hidden):
        return hidden @ OUTPUT.T


def published(case: c.MtpCase) -> dict[str, mx.array]:
    return {
        f"mtp.{name}": SHARED[c.shared_name(name, shape)] - (1 if case.zero_centred and len(shape) == 1 else 0)
        for name, shape in case.tensors.items()
    }


def network(case: c.MtpCase) -> Model:
    text = copy.deepcopy(dict(case.text))
    splitter = Qwen3NextMTPSplitter() if text["model_type"] == "qwen3_next" else Qwen3_5MTPSplitter()
    text = splitter.read_text_config(text)
    weights = splitter.transform(published(case), text, source_is_mlx=False)
    model = Model(ModelConfig.from_dict({"text_config": text, "block_size": c.STEPS + 1}))
    model.load_weights(list(weights.items()))
    return model


def nemotron(case: c.MtpCase):
    """mlx-vlm alone; its layers are its own."""
    from mlx_vlm.speculative.drafters.nemotron_h_mtp import Model as NemotronModel
    from mlx_vlm.speculative.drafters.nemotron_h_mtp import ModelConfig as NemotronConfig

    model = NemotronModel(NemotronConfig.from_dict({"text_config": copy.deepcopy(dict(case.text))}))
    weights = {name.removeprefix("mtp."): array for name, array in published(case).items()}
    model.load_weights(list(model.sanitize(weights).items()))
    model._input_embed, model._lm_head_fn = MtpMain.model.embed_tokens, MtpMain.lm_head

    def chain(rows: int) -> tuple[mx.array, mx.array]:
        model._cache = model.make_cache()
        ids, states = mx.array([c.TOKENS[1 : rows + 1]]), SHARED["states"][:, :rows]
        first, made = None, []
        for _ in range(c.STEPS):
            out, states = model._forward_tokens(ids, states, mx.int32)
            scores, states = model._lm_head_fn(out), states[:, -1:]
            first = scores[0] if first is None else first
            made.append(scores[0, -1])
            ids = mx.argmax(made[-1])[None, None]
        return first, mx.stack(made)

    ends = [sum(c.ROUNDS[: index + 1]) for index in range(len(c.ROUNDS))]
    return {"logits": chain(ends[-1])[0], "chains": mx.stack([chain(rows)[1] for rows in ends])}


def main() -> None:
    golden = nemotron(c.CASES["mtp_nemotron_h"])
    mx.save_safetensors(str(c.HERE / "mtp_nemotron_h.safetensors"), golden, {"reference": "mlx-vlm"})
    for name in ("mtp_qwen3_5", "mtp_qwen3_5_moe", "mtp_qwen3_next"):
        model, path = network(c.CASES[name]), c.HERE / f"{name}.safetensors"
        golden = mx.load(str(path))
        chains, rows = [], 0
        for count in c.ROUNDS:
            rows += count
            model.reset(MtpMain())
            ids, states = mx.array([c.TOKENS[1 : rows + 1]]), SHARED["states"][:, :rows]
            chain = []
            for _ in range(c.STEPS):
                states = model._forward_tokens(ids, states, mx.int32)[:, -1:]
                chain.append(model._lm_head_fn(states)[0, 0])
                ids = mx.argmax(chain[-1])[None, None]
            chains.append(mx.stack(chain))
            print(f"{name:22} {rows:3} rows {mx.abs(chain[0] - golden['logits'][rows - 1]).max().item():.1e}")
        mx.save_safetensors(
            str(path),
            {"logits": golden["logits"], "chains": mx.stack(chains)},
            {"reference": "speculators mtp, mlx-vlm"},
        )


if __name__ == "__main__":
    main()
