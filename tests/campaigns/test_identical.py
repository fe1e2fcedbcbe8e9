"""No answer that is called identical differs from plain decoding, after a probe that ran to its end.

Models in bfloat16 and in few bits compute as on a Mac but for the kernels: weights stay as they are stored. A chat of
two turns, the second of which continues the cached first, is held with speculation and without. TANDEM_MODELS names
folders of published models, divided by ":", each of which is asked as it is and in 4 bits.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from mlx_lm import convert

from engine.bench.prompts import BUILT_IN
from engine.cpu_backend import backend
from engine.methods import PROPOSERS, ProposerEntry
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.row_kernels import layers
from engine.row_kernels.layers import quantised_layers
from engine.serving.scheduler import Scheduler
from engine.upkeep import rounding_probe
from tests.campaigns import recalled_answers
from tests.engine.serving_requests import PLAIN, Client, open_scheduler, run, user
from tests.engine.speculation.families import model_type
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_models import BFLOAT16, EIGHT_BITS, FOUR_BITS, MXFP4, NVFP4, SIX_BITS, write_disturbed_copy, write_model

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
SEED = int(os.environ.get("TANDEM_SEED", "107"))
PUBLISHED = [Path(path) for path in os.environ.get("TANDEM_MODELS", "").split(os.pathsep) if path]
KEPT = os.environ.get("TANDEM_KEPT", "")
# Seconds in which any probe ends.
PROBED_S = 3600.0
# The rows that a probe of a published model compares; a probe compares no fewer than 33.
PROBED_ROWS = int(os.environ.get("TANDEM_PROBED_ROWS", "64"))
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
# The draft tokens of each round in the chats of published models; None stands for the look-ups alone.
DEPTHS = (None, 15, 1, 8, 4, 11, 2, 13, 6, 3, 9, 14, 5, 12, 7, 10, None)


@pytest.fixture(autouse=True)
def as_on_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(backend.VARIABLE, backend.GPU.name)


@dataclass(frozen=True)
class Turn:
    """An answer of a chat, and the ids of the same question asked again without speculation."""

    client: Client
    again: tuple[int, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        return self.client.finished.ids

    @property
    def said(self) -> str:
        return self.client.finished.stats.rounding


class Chats:
    """Chats of two answers with a scheduler whose models were probed, and what was said and found of the answers."""

    def __init__(self, scheduler: Scheduler, name: str, tokens: int, texts: Sequence[str]) -> None:
        self._scheduler, self._name, self._tokens, self._texts = scheduler, name, tokens, texts
        self._draw = random.Random(f"{SEED} {name}")
        self.said, self.differ, self.widths = Counter[str](), Counter[str](), Counter[int]()
        self.accepted = 0
        self.wrong = list[str]()

    def hold(self, number: int, way: SpeculationSettings) -> None:
        """Hold a chat both ways.

        An answer that is called identical may not differ from what the chat would have got without speculation, if all
        its answers are called identical, and else not from what its own question gets.
        """
        questions = [f"{self._draw.choice(self._texts)} {number}?" for _ in range(2)]
        plain = self._turns(number, questions, PLAIN)
        drafted = self._turns(number, questions, way, plain)
        identical = True
        for place, (expected, turn) in enumerate(zip(plain, drafted, strict=True)):
            stats = turn.client.finished.stats
            identical &= turn.said == "identical"
            right = turn.ids == turn.again and (not identical or turn.ids == expected.ids)
            self.said[turn.said] += 1
            self.differ[turn.said] += not right
            self.accepted += stats.accepted
            self.widths.update(event.round.rows for event in turn.client.committed if event.round.drafted)
            self.wrong += [f"chat {number}, turn {place}"] if turn.said == "identical" and not right else []
        print(f"{self._name}, chat {number}: {self}", flush=True)

    def __str__(self) -> str:
        widths = dict(sorted(self.widths.items()))
        return f"said {dict(self.said)}, different {+self.differ}, {self.accepted} accepted, rounds by rows {widths}"

    def _turns(
        self, number: int, questions: list[str], way: SpeculationSettings, plain: Sequence[Turn] = ()
    ) -> list[Turn]:
        """Hold a chat one way; its later turns continue what the earlier ones left in the prefix cache."""
        self._scheduler.clear_prefix_cache()
        sampling = SamplingSettings(temperature=0.8 * (number % 2), seed=number)
        messages, held = list[dict[str, str]](), list[Turn]()
        for place, question in enumerate(questions):
            messages = [*messages, user(question)]
            asked = ChatRequest(messages, sampling, way, max_tokens=self._tokens)
            [client] = run(self._scheduler, asked)
            answer = client.finished
            if way is PLAIN:
                prompt = self._scheduler.models.main.prompt_ids(messages, lambda: False)
                recalled_answers.ANSWERS[tuple(prompt)] = answer.ids
            # What is as it was without speculation need not be asked again.
            as_plain = not plain or all(turn.ids == one.ids for turn, one in zip(held, plain, strict=False))
            same = as_plain and (not plain or answer.ids == plain[place].ids)
            again = client if same else run(self._scheduler, replace(asked, speculation=PLAIN))[0]
            held.append(Turn(client, again.finished.ids))
            messages = [*messages, {"role": "assistant", "content": answer.text}]
        return held


def compare(
    main: Path,
    draft: Path | None,
    learned: Path,
    tokens: int,
    texts: Sequence[str],
    ways: Sequence[SpeculationSettings],
) -> None:
    """Hold a chat for each of `ways`: no answer that is called identical may differ."""
    with open_scheduler(main, draft, learned_file=learned) as scheduler:
        scheduler.models.probe(lambda: False, PROBED_S)
        rounding = scheduler.models.rounding
        assert rounding is not None, "the probe has not ended"
        print(f"{main.name}: {rounding.ranges}", flush=True)
        chats = Chats(scheduler, main.name, tokens, texts)
        for number, way in enumerate(ways):
            chats.hold(number, way)
    assert not chats.wrong
    assert "" not in chats.said


@pytest.mark.parametrize("name", TINY)
def test_no_answer_of_a_random_model_that_is_called_identical_differs(name: str, tmp_path: Path) -> None:
    config = {"model_type": model_type(name), **FAMILIES[name], "max_position_embeddings": 1024}
    main = write_model(tmp_path / f"{name} {TINY[name]}", seed=SEED, config=config, stored=TINY[name])
    draft = write_disturbed_copy(main, tmp_path / "draft", amount=0.02, stored=TINY[name])
    texts = [text * count for text in WORDS for count in range(1, 13)]
    ways = [WAYS[number % len(WAYS)] for number in range(max(1, int(CHATS * SIZE)))]
    compare(main, draft, tmp_path / "learned.json", tokens=40, texts=texts, ways=ways)


@pytest.fixture(
    params=[(path, bits) for path in PUBLISHED for bits in (0, 4)], ids=lambda param: f"{param[0].name}-{param[1]}"
)
def published(request: pytest.FixtureRequest, kept: Path) -> Path:
    path: Path = request.param[0]
    bits: int = request.param[1]
    if not bits:
        return path
    if "quantization" in json.loads((path / "config.json").read_text()):
        pytest.skip("it has few bits already")
    folder = kept / f"{path.name} {bits} bits"
    if not folder.exists():
        convert(str(path), str(folder), quantize=True, q_bits=bits)
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return Path(KEPT) if KEPT else tmp_path


def one_of_each_shape(model: Any) -> list[Any]:
    """Return a quantised layer of each shape: the shape decides which of MLX's kernels computes its products."""
    by_shape = {(type(layer), layer.weight.shape, layer.bits): layer for layer in reversed(quantised_layers(model))}
    return list(by_shape.values())


def test_no_answer_of_a_published_model_that_is_called_identical_differs(
    published: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A probe of few rows says "identical" sooner, and takes a CPU minutes.
    for name in ("FEWEST_ROWS", "MOST_ROWS"):
        monkeypatch.setattr(rounding_probe, name, PROBED_ROWS)
    monkeypatch.setattr(layers, "quantised_layers", one_of_each_shape)
    monkeypatch.setitem(PROPOSERS, recalled_answers.SOURCE, ProposerEntry(recalled_answers.__name__))
    monkeypatch.setattr(recalled_answers, "ANSWERS", {})
    ways = [
        SpeculationSettings("ngram" if depth is None else recalled_answers.SOURCE, depth or 16, sample_share=0.0)
        for depth in DEPTHS
    ]
    texts = [*WORDS, *(prompt.text for prompt in BUILT_IN if prompt.kind != "code-edit")]
    learned = kept / f"{published.parent.name} {published.name}.json"
    compare(published, None, learned, 24, texts, ways[: max(1, int(len(ways) * SIZE))])
