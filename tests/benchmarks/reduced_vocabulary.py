"""What a smaller vocabulary for drafting gains: `python -m tests.benchmarks.reduced_vocabulary [--main SIZE]`.

A generated main model with a vocabulary of 151,936 answers with an MTP head, with the whole vocabulary and a smaller
one in turn; the figures are medians. The head predicts the given share of tokens, except those that it cannot draft:
the share `--outside` of the text.
"""

from __future__ import annotations

import random
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

import engine  # noqa: F401  Chooses the BLAS, which has to be before mlx is loaded.

# isort: split
import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten
from mlx_lm.models import qwen3

from engine.answer_index.index import Usage
from engine.bench.synthetic import ScriptedModel
from engine.cpu_backend.narrow_products import use_narrow_products
from engine.engine import starter_pair
from engine.files.steps import run_to_completion
from engine.heads.context import HeadContext
from engine.heads.head import Draw, HeadProposal
from engine.heads.mtp_config import read_mtp_config
from engine.heads.mtp_network import MtpHead, MtpNetwork
from engine.heads.tensors import HeadFiles
from engine.main_model.loading import LoadedModel, load
from engine.model_files.safetensors_header import TensorHeader
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.drafters.reduced_vocabulary import reduce_vocabulary
from engine.speculation.drafters.sources import HeadSource, prepare_head
from engine.stats import RequestStats
from engine.status import ModelInfo
from tests.engine.serving_requests import request, run

VOCABULARY = 151_936
# Layers, width, inner width, heads and key-value heads of 64.
SHAPES = {
    "0.1B": (8, 512, 1536, 8, 4),
    "0.3B": (14, 1024, 3072, 16, 8),
    "0.5B": (24, 896, 4864, 14, 2),
    "0.6B": (28, 1024, 3072, 16, 8),
    "1.7B": (28, 2048, 6144, 16, 8),
}
HEAD = "MTP"
ACCEPT = 0.75
DEPTH = 4
# The text of earlier answers, of which the smaller vocabulary is made: ids in all, and distinct ones.
SEEN = (200_000, 14_000)


def config(size: str) -> dict[str, Any]:
    layers, width, inner, heads, kv_heads = SHAPES[size]
    return {
        "model_type": "qwen3", "hidden_size": width, "num_hidden_layers": layers, "intermediate_size": inner,
        "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": 64, "rms_norm_eps": 1e-6,
        "vocab_size": VOCABULARY, "max_position_embeddings": 4096, "rope_theta": 10_000.0, "tie_word_embeddings": True,
    }  # fmt: skip


def model(name: str, size: str, script: Sequence[int], tokenizer: Any) -> LoadedModel:
    """Return a model with random weights that writes `script`."""
    mx.random.seed(1)
    built = qwen3.Model(qwen3.ModelArgs.from_dict(config(size)))
    use_narrow_products(built)
    mx.eval(built.parameters())
    held = sum(array.nbytes for _, array in tree_flatten(built.parameters()))
    info = ModelInfo(name=name, path=Path(name), architecture="qwen3", context_length=4096, bytes=held)
    return LoadedModel(info, ScriptedModel(built, script), tokenizer, VOCABULARY, frozenset(), rows=VOCABULARY)


class ScriptedHead(MtpHead):
    """An MTP head that predicts `script`."""

    script: mx.array
    _from = 0

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        self._from = context.length + 1
        return super().propose(context, anchor, count, draw)

    def scores(self, states: mx.array, depth: int) -> mx.array:
        forced = mx.arange(VOCABULARY) == self.script[min(self._from + depth, self.script.size - 1)]
        return super().scores(states, depth) * 1e-6 + 100.0 * forced


def head(main: LoadedModel, size: str, script: Sequence[int]) -> HeadSource:
    files = HeadFiles(config(size), "mtp", {"mtp.layers.0.input_layernorm.weight": TensorHeader("F32", (), 0)})
    settings, _ = read_mtp_config(files)
    network = MtpNetwork(settings)
    use_narrow_products(network)
    mx.eval(network.parameters())
    made = ScriptedHead(Path(HEAD), settings, network, HEAD)
    made.script = mx.array([*script], mx.int32)
    info = ModelInfo(HEAD, Path(HEAD), "mtp", 4096, made.nbytes, kind="head")
    # The main model's ports are found in the network itself: the script is none of its layers.
    return prepare_head(replace(main, model=main.model.model), made, info)


def texts(seen: np.ndarray, outside: float) -> tuple[list[int], list[int]]:
    """Return the text of the main model, of which the share `outside` was never seen, and of a drafter."""
    draw = random.Random(3)
    known, others = seen.tolist(), np.setdiff1d(np.arange(VOCABULARY // 4, VOCABULARY), seen).tolist()
    main = [draw.choice(others if draw.random() < outside else known) for _ in range(4096)]
    drafter = [token if draw.random() < ACCEPT else draw.choice(known) for token in main]
    return main, drafter


def measured(
    main: LoadedModel, drafter: HeadSource, usage: Usage, rounds: int, tokens: int
) -> dict[str, list[RequestStats]]:
    """Return the figures of answers with the whole vocabulary ("whole") and with a smaller one, in turn."""
    reduced = run_to_completion(reduce_vocabulary(main, drafter, usage))
    assert reduced is not None
    used = {"whole": None, "smaller": replace(reduced, unseen=0.0, saved_s=1e9)}
    found: dict[str, list[RequestStats]] = {way: [] for way in used}
    speculation = SpeculationSettings(method="draft", depth=DEPTH, sample_share=0.0)
    asked = replace(request(max_tokens=tokens, speculation=speculation), conversation="chat")
    with ExitStack() as stack:
        # Each has its own costs, by which the time of a round is divided between drafting and the pass.
        schedulers = {way: stack.enter_context(closing(Scheduler())) for way in used}
        for way, scheduler in schedulers.items():
            scheduler.install(main, None)
            scheduler.models.activate_draft(drafter, None)
            scheduler.models.drafting.set_reduced(used[way])
        # The first answers of each way compile its passes.
        for number in range(rounds + 1):
            for way, scheduler in schedulers.items():
                scheduler.clear_prefix_cache()
                [client] = run(scheduler, asked)
                found[way] += [client.finished.stats] if number else []
        pays = reduced.pays(usage.ids.tolist(), schedulers["whole"].models.drafting.controller.costs)
    saved = f"{1e3 * reduced.saved_s:.2f} ms of a round of {DEPTH} saved by the product alone"
    print(f"  {len(reduced.ids)} of {VOCABULARY} ids, {saved}; chosen: {pays}", flush=True)
    return found


def show(found: dict[str, list[RequestStats]]) -> None:
    figures: dict[str, Callable[[RequestStats], float]] = {
        "ms a round": lambda stats: 1e3 * stats.tokens_per_round / (stats.decode_tps or inf),
        "ms a draft token": lambda stats: 1e3 * stats.draft_s / stats.drafted,
        "ms a pass": lambda stats: 1e3 * stats.verify_s / stats.rounds,
        "tokens/s": lambda stats: stats.decode_tps or 0.0,
        "tokens a round": lambda stats: stats.tokens_per_round,
    }
    for name, figure in figures.items():
        whole, smaller = (median(map(figure, found[way])) for way in ("whole", "smaller"))
        print(f"  {name:18} {whole:8.2f} {smaller:8.2f}  {smaller / whole:.2f}x", flush=True)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--main", choices=SHAPES, default="0.3B")
    parser.add_argument("--outside", type=float, nargs="+", default=[0.0, 0.03])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=48)
    asked = parser.parse_args()
    tokenizer = load(starter_pair()[0]).tokenizer
    seen = np.sort(np.random.default_rng(1).choice(VOCABULARY, SEEN[1], replace=False))
    usage = Usage(SEEN[0], seen, np.zeros(len(seen), np.int64))
    for outside in asked.outside:
        script, drafted = texts(seen, outside)
        loaded = model("main", asked.main, script, tokenizer)
        print(f"{asked.main} with a head, {outside:.0%} of the tokens outside", flush=True)
        show(measured(loaded, head(loaded, asked.main, drafted), usage, asked.rounds, asked.tokens))


if __name__ == "__main__":
    main()
