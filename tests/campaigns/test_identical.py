"""No answer that is called identical differs from plain decoding, after a probe that ran to its end.

Models in bfloat16 and in few bits compute as on a Mac but for the kernels: weights stay as they are stored. A chat of
two turns, the second of which continues the cached first, is held with speculation and without. TANDEM_MODELS names
folders of published models, divided by ":", each of which is asked as it is and in 4 bits.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from mlx_lm import convert

from engine.cpu_backend import backend
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.upkeep import rounding_probe
from tests.engine.serving_requests import PLAIN, open_scheduler, run, user
from tests.engine.speculation.families import model_type
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_models import BFLOAT16, EIGHT_BITS, FOUR_BITS, MXFP4, NVFP4, SIX_BITS, write_disturbed_copy, write_model

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
SEED = int(os.environ.get("TANDEM_SEED", "107"))
PUBLISHED = [Path(path) for path in os.environ.get("TANDEM_MODELS", "").split(os.pathsep) if path]
# Seconds in which any probe ends.
PROBED_S = 3600.0
# Chats of two answers each.
CHATS = 6
TINY = {
    "llama": BFLOAT16, "qwen3": FOUR_BITS, "gemma3_text": BFLOAT16, "gemma2": EIGHT_BITS, "phi3": BFLOAT16,
    "gpt_oss": FOUR_BITS, "llama:window": NVFP4, "mixtral": MXFP4, "qwen3_next": FOUR_BITS, "mamba2": FOUR_BITS,
    "falcon_h1": SIX_BITS, "deepseek_v3": FOUR_BITS,
}  # fmt: skip
WORDS = ("the quick brown fox jumps over the lazy dog ", "안녕하세요 세계 ", "こんにちは世界 ", "one, two, three, ")
WAYS = (
    SpeculationSettings(method="draft", depth=2), SpeculationSettings(method="draft"),
    SpeculationSettings(method="ngram", depth=16), SpeculationSettings(method="draft", depth=7),
    SpeculationSettings(method="auto"), SpeculationSettings(method="draft", depth=24),
)  # fmt: skip


@pytest.fixture(autouse=True)
def as_on_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(backend.VARIABLE, backend.GPU.name)


@dataclass(frozen=True)
class Turn:
    """An answer of a chat, its `rounding`, and the ids of the same question asked again without speculation."""

    ids: tuple[int, ...]
    again: tuple[int, ...]
    said: str
    accepted: int


def turns(scheduler: Scheduler, chat: int, questions: list[str], way: SpeculationSettings, tokens: int) -> list[Turn]:
    """Hold a chat, whose later turns continue what the earlier ones left in the prefix cache."""
    scheduler.clear_prefix_cache()
    sampling = SamplingSettings(temperature=0.8 * (chat % 2), seed=chat)
    messages, held = list[dict[str, str]](), list[Turn]()
    for question in questions:
        messages = [*messages, user(question)]
        asked = ChatRequest(messages, sampling, way, max_tokens=tokens)
        [client] = run(scheduler, asked)
        [again] = [client] if way is PLAIN else run(scheduler, replace(asked, speculation=PLAIN))
        answer, stats = client.finished, client.finished.stats
        held.append(Turn(answer.ids, again.finished.ids, stats.rounding, stats.accepted))
        messages = [*messages, {"role": "assistant", "content": answer.text}]
    return held


def compare(main: Path, draft: Path, folder: Path, tokens: int) -> None:
    """Hold all chats both ways: no answer that is called identical may differ.

    It may not differ from what the chat would have got without speculation, if all its answers are called identical,
    and else not from what its own question gets.
    """
    draw, said, differ, accepted = random.Random(f"{SEED} {main.name}"), Counter[str](), Counter[str](), 0
    wrong = list[str]()
    with open_scheduler(main, draft, learned_file=folder / "learned.json") as scheduler:
        scheduler.models.probe(lambda: False, PROBED_S)
        rounding = scheduler.models.rounding
        assert rounding is not None, "the probe has not ended"
        for chat in range(max(1, int(CHATS * SIZE))):
            questions = [draw.choice(WORDS) * draw.randint(1, 12) + f"{chat}?" for _ in range(2)]
            plain = turns(scheduler, chat, questions, PLAIN, tokens)
            drafted = turns(scheduler, chat, questions, WAYS[chat % len(WAYS)], tokens)
            identical = True
            for number, (expected, turn) in enumerate(zip(plain, drafted, strict=True)):
                identical &= turn.said == "identical"
                right = turn.ids == turn.again and (not identical or turn.ids == expected.ids)
                said[turn.said] += 1
                differ[turn.said] += not right
                accepted += turn.accepted
                wrong += [f"chat {chat}, turn {number}"] if turn.said == "identical" and not right else []
    print(f"{main.name}: {rounding.ranges}, {accepted} accepted, said {dict(said)}, different {dict(differ)}")
    assert not wrong
    assert "" not in said


@pytest.mark.parametrize("name", TINY)
def test_no_answer_of_a_random_model_that_is_called_identical_differs(name: str, tmp_path: Path) -> None:
    config = {"model_type": model_type(name), **FAMILIES[name], "max_position_embeddings": 1024}
    main = write_model(tmp_path / f"{name} {TINY[name]}", seed=SEED, config=config, stored=TINY[name])
    draft = write_disturbed_copy(main, tmp_path / "draft", amount=0.02, stored=TINY[name])
    compare(main, draft, tmp_path, tokens=40)


@pytest.fixture(params=[(path, bits) for path in PUBLISHED for bits in (0, 4)], ids=str)
def published(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    path, bits = request.param
    if not bits:
        yield path
        return
    convert(str(path), str(tmp_path / f"{path.name} {bits} bits"), quantize=True, q_bits=bits)
    yield tmp_path / f"{path.name} {bits} bits"


def test_no_answer_of_a_published_model_that_is_called_identical_differs(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A probe of few rows says "identical" sooner, and takes a CPU minutes.
    monkeypatch.setattr(rounding_probe, "MOST_ROWS", rounding_probe.FEWEST_ROWS)
    compare(published, published, tmp_path, tokens=32)
