"""What a drafter was taught, damaged, swapped or written by a process that is killed: no text changes."""

from __future__ import annotations

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import mlx.core as mx
import pytest

from engine import ChatRequest, Engine, EngineSettings, Finished, SpeculationSettings, starter_pair
from engine.errors import CannotTeach, EngineError, InternalFailure
from engine.main_model.loading import load
from engine.main_model.low_rank import adapter_of, add_adapter, as_bytes, from_bytes
from engine.requests import OwnAnswer
from engine.serving.scheduler import Scheduler
from engine.status import TeachingResult
from engine.teaching import lessons, training
from engine.teaching.kept import FILE, TaughtFile
from engine.upkeep import teaching as upkeep
from tests.engine.serving_requests import PLAIN, alone, load_models, request
from tests.engine.upkeep.own_answers import answers
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


@pytest.mark.parametrize("which", ["main", "draft"])
def test_a_model_that_is_replaced_between_loading_and_teaching_gets_nothing_of_the_old_one(
    pair: tuple[Path, Path], tmp_path: Path, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At any step of a teaching: it is refused, or kept for the models that were in memory."""
    monkeypatch.setattr(lessons, "LEAST_TAUGHT_PLACES", 100)
    monkeypatch.setattr(lessons, "LEAST_JUDGED_PLACES", 20)
    monkeypatch.setattr(training, "EPOCHS", 2)
    monkeypatch.setattr(training, "BATCH", 100)
    monkeypatch.setattr(upkeep, "is_better", lambda _before, _after: True)
    source, outcomes = random.Random(110), Counter[str]()
    for number in range(int(40 * SIZE)):
        folder = tmp_path / str(number)
        models = [Path(shutil.copytree(path, folder / path.name)) for path in pair]
        file = models[which == "draft"] / "model.safetensors"
        scheduler = Scheduler(EngineSettings(taught_folder=folder / "taught"))
        load_models(scheduler, *models)
        ended = list[object]()
        replaced_at, step = source.choice((0, source.randrange(1, 30))), 0
        while not ended:
            if step == replaced_at:
                weights = {name: array * 1.01 for name, array in dict(mx.load(str(file))).items()}
                mx.save_safetensors(str(file), weights, {"format": "mlx"})
            if not scheduler.teaching.running:
                scheduler.teaching.begin(answers(12, 30), ended.append)
            scheduler.upkeep.teach()
            step += 1
        scheduler.close()
        kept = list(folder.glob(f"taught/*/{FILE}"))
        what = ended[0].code if isinstance(ended[0], EngineError) else "taught"
        outcomes[
            f"{'replaced' if step > replaced_at else 'not replaced'}: {what}, {'kept' if kept else 'not kept'}"
        ] += 1
        again = Scheduler(EngineSettings(taught_folder=folder / "taught"))
        load_models(again, *models)
        assert again.models.drafter is not None
        # Only what was taught to the models that are on the disk now is used.
        assert bool(again.models.drafter.info.taught) == (bool(kept) and step <= replaced_at)
        again.close()
    print(which, dict(sorted(outcomes.items())))


@contextmanager
def full_after(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("taught_before", [False, True])
def test_a_disk_that_is_full_at_any_byte_keeps_what_was_taught_before(
    pair: tuple[Path, Path], tmp_path: Path, taught_before: bool
) -> None:
    folder, source = tmp_path / "taught", random.Random(103)
    content = taught(*pair, folder).read_bytes()
    file = TaughtFile(folder, load(pair[0]), pair[1], load(pair[1]).info.name)
    former, kept = from_bytes(content)
    weights = {name: 2 * array for name, array in former.items()}
    size = len(as_bytes(weights, kept))
    if not taught_before:
        file.delete()
    for place in (0, 1, 8, size - 1, *(source.randrange(size) for _ in range(int(300 * SIZE)))):
        with full_after(place), pytest.raises(CannotTeach) as caught:
            file.write(weights, TeachingResult(0.1, 0.3, better=True))
        assert caught.value.arguments["reason"] == "disk"
        assert [path.name for path in folder.glob("*/*")] == [FILE] * taught_before
        assert file.content() == (content if taught_before else None)
    file.write(weights, TeachingResult(0.1, 0.3, better=True))
    assert file.read().digest not in ("", hashlib.sha256(content).hexdigest()[:16])


def change(folder: Path, other: Path, kind: str, source: random.Random) -> None:
    """Do to the files of a model what another program may do at any time."""
    weights = folder / "model.safetensors"
    if kind == "deleted":
        shutil.rmtree(folder)
    elif kind == "cut":
        os.truncate(weights, source.randrange(weights.stat().st_size))
    elif kind == "emptied":
        (folder / source.choice(("config.json", "tokenizer.json"))).write_bytes(b"")
    elif kind == "replaced":
        shutil.copy(other / "model.safetensors", weights)
    elif kind == "other layers":
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 1}))
    elif kind == "a link":
        shutil.rmtree(folder)
        folder.symlink_to(other)


def loaded(scheduler: Scheduler, models: Sequence[Path]) -> str:
    """Load a pair that was changed, check that its text is the main model's, and say what it was taught."""
    try:
        load_models(scheduler, models[0], models[1])
    except InternalFailure:
        raise
    except EngineError as refused:
        return f"refused: {refused.arguments.get('reason')}"
    assert alone(scheduler, request()).ids == alone(scheduler, request(speculation=PLAIN)).ids
    drafter = scheduler.models.drafter
    return "taught" if drafter is not None and drafter.info.taught else "not taught"


CHANGES = ("deleted", "cut", "emptied", "replaced", "other layers", "a link")


def test_models_that_change_before_or_while_they_teach_change_no_text(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, size in ((lessons, "LEAST_TAUGHT_PLACES"), (lessons, "LEAST_JUDGED_PLACES"), (training, "BATCH")):
        monkeypatch.setattr(place, size, 20 if size == "LEAST_JUDGED_PLACES" else 100)
    monkeypatch.setattr(upkeep, "is_better", lambda _before, _after: True)
    source, outcomes = random.Random(104), Counter[str]()
    other = write_model(tmp_path / "other", seed=9, stored=FLOAT32)
    for number in range(int(60 * SIZE)):
        folder = tmp_path / f"{number}"
        models = [shutil.copytree(one, folder / one.name) for one in pair]
        scheduler = Scheduler(EngineSettings(taught_folder=folder / "taught"))
        load_models(scheduler, models[0], models[1])
        want, ends = alone(scheduler, request()).ids, list[TeachingResult | EngineError | None]()
        kind, which, begun = source.choice(CHANGES), source.randrange(2), source.random() < 0.8
        if not begun:
            change(models[which], other, kind, source)
        scheduler.teaching.begin(answers(12, 30), ends.append)
        for _ in range(source.randrange(30)):
            scheduler.upkeep.teach()
        if begun and not ends:
            change(models[which], other, kind, source)
        while not ends:
            scheduler.upkeep.teach()
        assert not isinstance(ends[0], InternalFailure), (kind, which, begun, ends)
        assert alone(scheduler, request()).ids == want
        with suppress(EngineError):
            scheduler.teaching.known()
        scheduler.close()
        scheduler = Scheduler(EngineSettings(taught_folder=folder / "taught"))
        outcomes[loaded(scheduler, models)] += 1
        scheduler.close()
        shutil.rmtree(folder)
    print(dict(outcomes))


TEACHING = """
import sys
from pathlib import Path
from engine import Engine, EngineSettings
from engine.teaching import lessons, training
from engine.upkeep import teaching
from engine.requests import OwnAnswer
lessons.LEAST_TAUGHT_PLACES, lessons.LEAST_JUDGED_PLACES, training.EPOCHS, training.BATCH = 100, 20, 2, 100
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
