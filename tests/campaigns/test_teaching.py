"""What a drafter was taught, damaged, swapped or written by a process that is killed: no text changes."""

from __future__ import annotations

import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import pytest

from engine import ChatRequest, Engine, EngineSettings, Finished, SpeculationSettings, starter_pair
from engine.main_model.loading import load
from engine.requests import OwnAnswer
from engine.serving.scheduler import Scheduler
from engine.status import TeachingResult
from engine.teaching.adapter import adapter_of, add_adapter, as_bytes, from_bytes
from engine.teaching.kept import FILE, TaughtFile
from tests.engine.serving_requests import alone, load_models, request
from tests.patience import PATIENCE_S
from tests.tiny_models import FLOAT32, write_disturbed_copy, write_model

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    main = write_model(tmp_path / "main", seed=1, stored=FLOAT32)
    return main, write_disturbed_copy(main, tmp_path / "draft", amount=0.03, stored=FLOAT32)


def taught(main: Path, draft: Path, folder: Path) -> Path:
    """Write an adapter of random numbers for a pair, and return its file."""
    model = load(draft).model
    add_adapter(model)
    keys = mx.random.split(mx.random.key(3), 200)
    drawn = zip(sorted(adapter_of(model).items()), keys, strict=False)
    weights = {name: 0.02 * mx.random.normal(array.shape, key=key) for (name, array), key in drawn}
    file = TaughtFile(folder, load(main), draft, load(draft).info.name)
    file.write(weights, TeachingResult(0.1, 0.2, better=True))
    [path] = folder.glob(f"*/{FILE}")
    return path


def damaged(content: bytes, source: random.Random) -> bytes:
    changed, kind = bytearray(content), source.randrange(7)
    header = 8 + int.from_bytes(content[:8], "little")
    if kind == 0:
        return content[: source.randrange(len(content))]
    if kind == 1:
        changed[source.randrange(len(content))] ^= 1 << source.randrange(8)
    elif kind in (2, 3):
        for _ in range(source.randint(1, 9)):
            changed[source.randrange(header)] = source.choice(b'0123456789"{}[],:-eFI\\\xff')
    elif kind == 4:
        changed[:8] = struct.pack("<Q", source.choice((0, 1, header, 2**31, 2**63, 2**64 - 1, len(content))))
    else:
        arrays, kept = from_bytes(content)
        name = source.choice(sorted(arrays))
        odd = (mx.int32, mx.uint8, mx.complex64, mx.float16, mx.bool_)
        arrays[name] = (
            arrays[name].astype(source.choice(odd)) if kind == 5 else arrays[name] * source.choice((0.0, 1e30))
        )
        return as_bytes(arrays, kept)
    return bytes(changed)


def test_no_damage_of_an_adapter_changes_a_text(pair: tuple[Path, Path], tmp_path: Path) -> None:
    path = taught(*pair, tmp_path / "taught")
    content, source, outcomes = path.read_bytes(), random.Random(99), Counter[str]()
    scheduler = Scheduler(EngineSettings(taught_folder=tmp_path / "taught"))
    load_models(scheduler, *pair)
    want = alone(scheduler, request()).ids
    for _ in range(int(300 * SIZE)):
        path.write_bytes(damaged(content, source))
        load_models(scheduler, *pair)
        drafter = scheduler.models.drafter
        if drafter is None:
            # Enormous numbers, which no draft computes with.
            outcomes["not finite"] += 1
        else:
            outcomes["used" if drafter.info.taught else scheduler.teaching.known().problem] += 1
        assert alone(scheduler, request()).ids == want
    scheduler.close()
    print(dict(outcomes))
    assert outcomes.keys() <= {"used", "damaged", "changed", "not finite", ""}


def test_an_adapter_of_another_pair_is_not_used(pair: tuple[Path, Path], tmp_path: Path) -> None:
    other = write_disturbed_copy(pair[0], tmp_path / "other", amount=0.05, stored=FLOAT32)
    mine, theirs = taught(*pair, tmp_path / "taught"), taught(pair[0], other, tmp_path / "others")
    shutil.copy(theirs, mine)
    scheduler = Scheduler(EngineSettings(taught_folder=tmp_path / "taught"))
    load_models(scheduler, *pair)
    assert scheduler.models.drafter is not None
    assert (scheduler.models.drafter.info.taught, scheduler.teaching.known().problem) == ("", "changed")
    scheduler.close()


TEACHING = """
import sys
from pathlib import Path
from engine import Engine, EngineSettings
from engine.teaching import lessons, training
from engine.upkeep import teaching
from engine.requests import OwnAnswer
lessons.LEAST_TAUGHT, lessons.LEAST_JUDGED, training.EPOCHS, training.BATCH = 100, 20, 2, 100
teaching.is_better = lambda before, after: True
chats = [(str(number), [{"role": "user", "content": f"the fox {number}"}]) for number in range(12)]
answers = [OwnAnswer(*chat, tuple(range(3 + number, 33 + number))) for number, chat in enumerate(chats)]
main, draft, folder = map(Path, sys.argv[1:])
with Engine(EngineSettings(taught_folder=folder)) as engine:
    engine.load(main, draft).result(120)
    print("ready", flush=True)
    while True:
        engine.teach(answers).result(120)
"""


def test_a_process_that_is_killed_while_it_teaches_leaves_a_whole_adapter_or_none(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    source, outcomes, folder = random.Random(100), Counter[str](), tmp_path / "taught"
    for _ in range(int(20 * SIZE)):
        command = [sys.executable, "-c", TEACHING, *map(str, (*pair, folder))]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(source.uniform(0, 2))
            process.send_signal(signal.SIGKILL)
        scheduler = Scheduler(EngineSettings(taught_folder=folder))
        load_models(scheduler, *pair)
        known = scheduler.teaching.known()
        assert (known.problem, known.refusal) == ("", None)
        outcomes["taught" if known.judged else "none"] += 1
        scheduler.close()
    print(dict(outcomes))


THINGS = (
    "rain", "tea", "Rome", "cats", "snow", "bread", "bees", "iron", "music", "maps", "clocks", "stars", "salt", "wind",
    "glass", "trees", "books", "rivers",
)  # fmt: skip
FORMS = (
    "Tell me about {}.", "Why do people like {}?", "Write a poem about {}.", "What is {}?", "What is good about {}?",
    "List three facts about {}.", "How would you explain {} to a child?",
)  # fmt: skip


def drafted_answers(engine: Engine, questions: Sequence[str]) -> tuple[list[tuple[int, ...]], float]:
    """Return the tokens of answers, and the share of proposals that was accepted."""
    fixed = SpeculationSettings(method="draft", depth=3, sample_share=0.0)
    ends = []
    for question in questions:
        request = ChatRequest([{"role": "user", "content": question}], max_tokens=80, speculation=fixed)
        ends += [event for event in engine.submit(request) if isinstance(event, Finished)]
    shares = [(one.stats.accepted, one.stats.drafted) for one in ends]
    return [one.ids for one in ends], sum(good for good, _ in shares) / sum(all_ for _, all_ in shares)


@pytest.mark.parametrize("noise", [0.06, 0.1])
def test_a_draft_that_can_gain_does_on_questions_that_it_was_not_taught(tmp_path: Path, noise: float) -> None:
    main, draft = starter_pair()
    weak = write_disturbed_copy(draft, tmp_path / "weak", amount=noise, stored=FLOAT32)
    questions = [form.format(thing) for thing in THINGS for form in FORMS]
    random.Random(5).shuffle(questions)
    held_out, lessons = questions[:12], questions[12:]
    with Engine(EngineSettings(taught_folder=tmp_path / "taught")) as engine:
        engine.load(main, weak).result(PATIENCE_S)
        texts, before = drafted_answers(engine, held_out)
        own = [OwnAnswer(one, [{"role": "user", "content": one}]) for one in lessons]
        result = engine.teach(own).result(900)
        engine.load(main, weak).result(PATIENCE_S)
        taught_texts, after = drafted_answers(engine, held_out)
    print(f"noise {noise}: {result}, accepted {before:.1%} before, {after:.1%} after")
    assert taught_texts == texts
    assert result is not None
    assert result.better
    assert after > before + 0.5
