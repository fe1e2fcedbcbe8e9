"""No answer is called identical that differs from plain decoding, and with `same_text` none differs.

Random models of many families, stored as published ones are, draft with a copy of themselves and with another model.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from engine.requests import MAX_DEPTH, ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.serving_requests import Client, open_scheduler, request, run, set_draft
from tests.engine.speculation.families import model_type
from tests.engine.speculation.family_configs import FAMILIES
from tests.patience import PATIENCE_S
from tests.tiny_models import (
    BFLOAT16,
    FOUR_BITS,
    MXFP4,
    MXFP8,
    NVFP4,
    SIX_BITS,
    THREE_BITS,
    write_disturbed_copy,
    write_model,
)

# transformers warns of families that it does not know.
pytestmark = [pytest.mark.expects_log, pytest.mark.full]

# Dense, windows, sinks, latent attention, experts, recurrent layers and mixtures of these.
JUDGED = {
    "llama": FOUR_BITS, "qwen3": MXFP4, "phi3": SIX_BITS, "gemma2": FOUR_BITS, "gemma3_text": THREE_BITS,
    "gpt_oss": FOUR_BITS, "llama:window": NVFP4, "mixtral": FOUR_BITS, "qwen3_moe": MXFP8, "deepseek_v3": FOUR_BITS,
    "deepseek_v32": FOUR_BITS, "mamba2": FOUR_BITS, "qwen3_next": FOUR_BITS, "falcon_h1": FOUR_BITS,
    "recurrent_gemma": FOUR_BITS, "llama4": FOUR_BITS, "qwen2": BFLOAT16, "cohere": BFLOAT16,
}  # fmt: skip
WORDS = ("fox", "lazy dog", "안녕하세요 세계", "the quick brown", "the the the", "jumps over")
# How many questions a family is asked.
QUESTIONS = 12
# The tokens of a context: short enough for a quick probe, long enough for answers that turn every window.
CONTEXT = 320


def questions(seed: int, count: int) -> list[ChatRequest]:
    """Return questions of many lengths, every other one for a sampled answer, each with another depth."""
    draw, found = random.Random(seed), []
    for number in range(count):
        text = " ".join(draw.choices(WORDS, k=draw.randint(1, 8)))
        speculation = SpeculationSettings(method="draft", depth=(4, 2, 16, 8)[number // 2 % 4])
        made = request(text, max_tokens=24, seed=number, temperature=0.9 * (number % 2), speculation=speculation)
        found.append(made)
    return found


def served(scheduler: Scheduler, asked: ChatRequest, *, same_text: bool, plain: bool = False) -> Client:
    way = replace(asked.speculation, same_text=same_text, method="off" if plain else "draft")
    [client] = run(scheduler, replace(asked, speculation=way))
    return client


@pytest.mark.parametrize("name", JUDGED)
def test_what_is_called_identical_is(name: str, tmp_path: Path) -> None:
    config = {"model_type": model_type(name), **FAMILIES[name], "max_position_embeddings": CONTEXT}
    stored = JUDGED[name]
    main = write_model(tmp_path / "main", seed=sum(name.encode()), config=config, stored=stored)
    other = write_disturbed_copy(main, tmp_path / "other", amount=0.05, stored=stored)
    wrong, drafted, identical = [], 0, 0
    with open_scheduler(main, main, learned_file=tmp_path / "learned.json") as scheduler:
        scheduler.models.probe(lambda: False, PATIENCE_S)
        rounding = scheduler.models.rounding
        asked = questions(len(name), QUESTIONS)
        expected = {
            same_text: [served(scheduler, one, same_text=same_text, plain=True).finished.ids for one in asked]
            for same_text in (False, True)
        }
        for draft in (main, other):
            set_draft(scheduler, draft)
            for same_text, plain in expected.items():
                for one, ids in zip(asked, plain, strict=True):
                    found = served(scheduler, one, same_text=same_text).finished
                    drafted += found.stats.drafted
                    identical += found.stats.rounding == "identical" and found.stats.drafted > 0
                    if found.ids != ids and (same_text or found.stats.rounding == "identical"):
                        wrong.append((draft.name, same_text, found.stats.rounding, ids, found.ids))
    assert not wrong
    assert drafted > 0
    # Where every width is rounded alike at every length of text, the word is said, and so was tested.
    assert rounding is not None
    if rounding.ranges[-1].keys >= CONTEXT and rounding.usual.rows > MAX_DEPTH:
        assert identical > 0
