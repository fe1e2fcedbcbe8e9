"""With `same_text`, answers are bit for bit those of plain decoding, on machines that round as Apple's do."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pytest

from engine.main_model.loaded_model import LoadedModel
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving import prefilling
from engine.serving.pacing import PrefillPacer
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.tuning import Rounding
from engine.upkeep import rounding_probe
from tests.engine.endurance.counting_model import CountingModel
from tests.engine.lossless.rounding_machines import (
    BASE,
    M1,
    M3,
    MAX,
    ROW_ALONE,
    ULTRA,
    RoundingMachine,
    shorten_probe,
    with_our_attention,
)
from tests.engine.serving_requests import Client, load_models, open_scheduler, request, run, submit
from tests.engine.speculation.families import EVERY_KIND, model_type
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.speculation.vlm_configs import VLM_FAMILIES
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S
from tests.tiny_heads import write_head
from tests.tiny_models import FLOAT32, write_disturbed_copy, write_model

WORDS = ("fox", "lazy dog", "안녕하세요 세계", "the quick brown", "the the the", "jumps over")
WAYS = (
    SpeculationSettings(method="draft", depth=4),
    SpeculationSettings(method="draft", depth=16),
    SpeculationSettings(method="ngram", depth=32),
)
OFF = SpeculationSettings(method="off")


@pytest.fixture(autouse=True)
def chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of prompts change as with measured times. Texts are short, and so are the probe's."""
    draw = random.Random(3)
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda *_, **__: draw.choice((32, 64, 128)))
    shorten_probe(monkeypatch)


class Chats:
    """Chats with one pair of models in `folder`; `rounding` is what the probe found."""

    def __init__(self, folder: Path, name: str = "llama") -> None:
        known = FAMILIES | VLM_FAMILIES
        config = known.get(name) or known[model_type(name)]
        config = {"model_type": model_type(name), **config}
        # The machines replace products of plain layers.
        self.main = write_model(folder / "main", seed=1, config=config, stored=FLOAT32)
        self.draft = write_disturbed_copy(self.main, folder / "draft", amount=0.02, stored=FLOAT32)
        self._folder, self._kv_bits = folder, 8 if name.endswith(":quantised") else None
        self.rounding: Rounding | None = None

    def hold(self, asked: Sequence[ChatRequest], way: SpeculationSettings, *, together: bool = False) -> list[Client]:
        """Ask all questions, another one after each answer, then in a later session a third one, and that again."""
        settings = EngineSettings(
            prefix_cache_folder=self._folder / f"chats {way.method}",
            kv_bits=self._kv_bits,
            learned_file=self._folder / "learned.json",
        )
        clients: list[Client] = []
        questions = [replace(one, speculation=way) for one in asked]
        for turns in (2, 1):
            with closing(Scheduler(settings)) as scheduler:
                load_models(scheduler, self.main, self.draft)
                for _ in range(turns):
                    new = run(scheduler, *questions) if together else [run(scheduler, one)[0] for one in questions]
                    clients += new
                    last, questions = questions, [following(client) for client in new]
                    scheduler.models.probe(lambda: False, PATIENCE_S)
                if turns == 1:
                    clients += [run(scheduler, one)[0] for one in last]
                self.rounding = scheduler.models.rounding
        return clients


@contextmanager
def probed(main: Path, draft: Path, folder: Path) -> Iterator[Scheduler]:
    """A scheduler that knows how the machine rounds."""
    with open_scheduler(main, draft, learned_file=folder / "learned.json") as scheduler:
        scheduler.models.probe(lambda: False, PATIENCE_S)
        yield scheduler


def following(client: Client) -> ChatRequest:
    before = client.stream.request
    answered = {"role": "assistant", "content": client.finished.text or "-"}
    return replace(before, messages=[*before.messages, answered, {"role": "user", "content": "and then the dog"}])


def questions(seed: int, count: int = 3) -> list[ChatRequest]:
    """Return questions of many lengths, every other one for a sampled answer."""
    draw = random.Random(seed)
    found = []
    for number in range(count):
        text = " ".join(draw.choices(WORDS, k=draw.randint(1, 8)))
        temperature = 0.9 * (number % 2)
        made = request(text, max_tokens=draw.randint(6, 16), seed=number, temperature=temperature)
        found.append(replace(made, conversation=f"chat {number}"))
    return found


def always(way: SpeculationSettings) -> SpeculationSettings:
    return replace(way, same_text=True)


def ids(clients: Sequence[Client]) -> list[tuple[int, ...]]:
    return [client.finished.ids for client in clients]


MACHINES_AND_KINDS = [(machine, name) for name in EVERY_KIND for machine in (M1, M3)]
MACHINES_AND_KINDS += [(machine, name) for name in ("llama:window", "gemma3n", "qwen3_next") for machine in (BASE, MAX)]


# transformers warns of families that it does not know.
@pytest.mark.full
@pytest.mark.expects_log
@pytest.mark.parametrize(("machine", "name"), by_tier(MACHINES_AND_KINDS, [(M1, "llama:window")]), ids=str)
def test_answers_do_not_depend_on_speculation_with_any_kind_of_cache(
    machine: RoundingMachine, name: str, tmp_path: Path
) -> None:
    place = MACHINES_AND_KINDS.index((machine, name))
    way = WAYS[place % 3]
    with machine.running():
        chats = Chats(tmp_path, name)
        plain = chats.hold(questions(place, 2), always(OFF))
        speculated = chats.hold(questions(place, 2), always(way))
    assert ids(speculated) == ids(plain)
    assert chats.rounding is not None
    most = max(known.rows for known in chats.rounding.ranges)
    assert max(event.round.rows for client in speculated for event in client.committed) <= most
    drafted = sum(client.finished.stats.drafted for client in speculated)
    # Where no draft token is exact, there is none; lookup finds few in short texts, and short windows soon turn.
    assert (drafted > 0) is (most > 1) or way.method == "ngram" or chats.rounding.ranges[-1].keys < 100


@pytest.mark.full
@pytest.mark.parametrize("machine", [M1, M3], ids=str)
def test_answers_that_are_asked_for_together_are_the_same_too(machine: RoundingMachine, tmp_path: Path) -> None:
    with machine.running():
        chats = Chats(tmp_path)
        plain = chats.hold(questions(1), always(OFF))
        together = chats.hold(questions(1), always(WAYS[0]), together=True)
    assert ids(together) == ids(plain)
    assert any("same-text" in client.reasons for client in together)


@pytest.mark.full
def test_answers_that_a_head_drafts_are_the_same(tmp_path: Path) -> None:
    with M1.running():
        chats = Chats(tmp_path)
        chats.draft = write_head(tmp_path / "head", chats.main)
        plain = chats.hold(questions(2, 2), always(OFF))
        drafted = chats.hold(questions(2, 2), always(WAYS[0]))
    assert ids(drafted) == ids(plain)
    assert sum(client.finished.stats.drafted for client in drafted) > 0


# What the probe finds on both sides of a switch without our attention; with it, all rows are like single ones.
SWITCHES = [(BASE, 128, 17, 1), (MAX, 256, 2, 2), (ULTRA, 256, 17, 1), (ROW_ALONE, 256, 1, 1)]
WITH_OURS = [(MAX, 256, 17, 17), (ROW_ALONE, 256, 17, 17)]


@pytest.mark.parametrize(
    ("machine", "switch", "before", "behind", "ours"),
    by_tier(
        [*((*one, False) for one in SWITCHES), *((*one, True) for one in WITH_OURS)],
        [(*SWITCHES[0], False)],
    ),
    ids=str,
)
def test_draft_tokens_on_both_sides_of_a_switch_of_attention_change_no_text(
    machine: RoundingMachine, switch: int, before: int, behind: int, ours: bool, tmp_path: Path
) -> None:
    long = request(
        "the quick brown fox jumps over the lazy dog " * (switch // 12), max_tokens=switch // 3, logit_bias={2: -60.0}
    )
    with machine.running(), with_our_attention("llama") if ours else nullcontext():
        chats = Chats(tmp_path)
        with probed(chats.main, chats.draft, tmp_path) as scheduler:
            asked = [
                replace(long, speculation=replace(way, same_text=same_text))
                for same_text in (True, False)
                for way in (OFF, WAYS[1])
            ]
            plain, drafted, usual, other = [run(scheduler, one)[0] for one in asked]
            assert scheduler.models.rounding is not None
            ranges = scheduler.models.rounding.ranges
    assert [known.rows for known in ranges if known.keys >= switch][:2] == [before, behind]
    assert ids([drafted]) == ids([plain])
    assert drafted.finished.stats.rounding == "identical"
    assert other.finished.stats.rounding == "rounded" or ids([other]) == ids([usual])
    rounds = [event.round for event in drafted.committed]
    starts = accumulate((one.committed for one in rounds), initial=plain.finished.stats.prompt_tokens)
    rows = [(start, one.rows) for start, one in zip(starts, rounds, strict=False)]
    assert rows[0][0] < switch - 10
    assert max(count for start, count in rows if start > switch) in range(min(2, behind), behind + 1)
    assert {count for start, count in rows if start < switch < start + count} <= {1} or ours


@pytest.mark.full
def test_few_rows_do_not_hide_that_a_window_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full window holds its keys in another order for a row alone, which bfloat16 hides in most rows."""
    monkeypatch.setattr(rounding_probe, "PASS_ROWS", (2, WAYS[0].depth + 1))
    monkeypatch.setattr(rounding_probe, "MOST_ROWS", 10)
    config = FAMILIES["gemma3_text"] | {"model_type": "gemma3_text", "sliding_window": 32, "num_hidden_layers": 4}
    sizes = {"hidden_size": 128, "intermediate_size": 64, "head_dim": 32, "num_attention_heads": 8}
    main = write_model(tmp_path / "main", seed=3, config=config | sizes)
    with probed(main, main, tmp_path) as scheduler:
        asked = replace(questions(7, 6)[5], conversation=None, max_tokens=16)
        for same_text in (True, False):
            ways = [replace(way, same_text=same_text) for way in (OFF, WAYS[0])]
            plain, drafted = (run(scheduler, replace(asked, speculation=way))[0] for way in ways)
            claimed = drafted.finished.stats.rounding == "identical"
            assert claimed or not same_text
            assert ids([drafted]) == ids([plain]) or not claimed


def test_a_prompt_that_was_cancelled_is_not_read_to_its_end(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefilling, "PREFILL_CHUNK", 32)
    model = CountingModel(pair[0].model)
    scheduler.changes.install(replace(pair[0], model=model), None)
    scheduler.models.probe(lambda: False, PATIENCE_S)
    client = submit(scheduler, request("the quick brown fox " * 20, speculation=always(OFF)))
    scheduler.step()
    fed = model.tokens
    client.stream.cancel()
    while scheduler.step():
        pass
    assert client.finished.reason == "cancelled"
    assert client.finished.stats.prompt_tokens > 64
    assert model.tokens == fed
