"""Teaching a draft model: what it learns, how it is interrupted, and what happens if something is wrong."""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import mlx.core as mx
import pytest

from engine import Engine, EngineSettings
from engine.errors import CannotTeach, EngineError
from engine.requests import OwnAnswer
from engine.serving.scheduler import Scheduler
from engine.status import TaughtDraft, TeachingProgress, TeachingResult
from engine.teaching import kept, lessons, training
from engine.upkeep import teaching
from tests.engine.machine.objective_c import Runtime
from tests.engine.serving_requests import Client, alone, load_models, request, set_draft
from tests.engine.upkeep.own_answers import answers
from tests.patience import PATIENCE_S, wait_until
from tests.tiny_heads import write_head
from tests.tiny_models import FLOAT32, write_disturbed_copy, write_model, write_with_other_ids

Outcome = TeachingResult | EngineError | None
Open = Callable[..., Scheduler]


@pytest.fixture(scope="module")
def main(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model in float32, like its draft: without a GPU, training with quantised weights takes four times as long."""
    return write_model(tmp_path_factory.mktemp("taught") / "main", seed=1, stored=FLOAT32)


@pytest.fixture(scope="module")
def draft(main: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draft model that is right now and then."""
    return write_disturbed_copy(main, tmp_path_factory.mktemp("taught") / "draft", amount=0.03, stored=FLOAT32)


@pytest.fixture
def opened(main: Path, draft: Path, tmp_path: Path) -> Iterator[Open]:
    """Opens schedulers with the pair, whose drafts are taught in one folder."""
    made: list[Scheduler] = []

    def open_one(
        folder: Path = tmp_path,
        drafter: Path | None = draft,
        main: Path = main,
        listen: Callable[[TeachingProgress], object] = lambda _progress: None,
    ) -> Scheduler:
        scheduler = Scheduler(EngineSettings(taught_folder=folder), on_teaching=listen)
        made.append(scheduler)
        load_models(scheduler, main, drafter)
        return scheduler

    yield open_one
    for scheduler in made:
        scheduler.close()


def begin(scheduler: Scheduler, material: Sequence[OwnAnswer] | None = None) -> list[Outcome]:
    outcomes: list[Outcome] = []
    scheduler.teaching.begin(answers(12, 30) if material is None else material, outcomes.append)
    return outcomes


def finish(scheduler: Scheduler, outcomes: list[Outcome]) -> Outcome:
    while not outcomes:
        scheduler.upkeep.teach()
    return outcomes[0]


def taught(scheduler: Scheduler, material: Sequence[OwnAnswer] | None = None) -> TeachingResult:
    outcome = finish(scheduler, begin(scheduler, material))
    assert isinstance(outcome, TeachingResult)
    return outcome


def refused(scheduler: Scheduler, material: Sequence[OwnAnswer] | None = None) -> CannotTeach:
    outcome = finish(scheduler, begin(scheduler, material))
    assert isinstance(outcome, CannotTeach)
    return outcome


def drafts_with(scheduler: Scheduler) -> str:
    """Return the digest of what the drafter in use was taught, "" for the draft as it was downloaded."""
    assert scheduler.models.drafter is not None
    return scheduler.models.drafter.info.taught


def until(scheduler: Scheduler, reports: list[TeachingProgress], step: int) -> None:
    """Teach until so many steps were reported."""
    while not (reports and reports[-1].phase == "teaching" and reports[-1].done >= step):
        scheduler.upkeep.teach()


@pytest.fixture(scope="module")
def whole_teaching(main: Path, draft: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TeachingResult]:
    """A folder with an adapter, and the result of the teaching."""
    folder = tmp_path_factory.mktemp("once")
    scheduler = Scheduler(EngineSettings(taught_folder=folder))
    load_models(scheduler, main, draft)
    with pytest.MonkeyPatch.context() as faster:
        # Random weights have nothing in common that few steps could teach.
        faster.setattr(training, "FIRST_RATE", 2 * training.FIRST_RATE)
        result = taught(scheduler, answers())
    scheduler.close()
    return folder, result


@pytest.fixture
def once_taught(whole_teaching: tuple[Path, TeachingResult], tmp_path: Path) -> Path:
    """A folder with an adapter, which the test may change."""
    return shutil.copytree(whole_teaching[0], tmp_path / "copy")


@pytest.fixture(autouse=True)
def little_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Teach with a few answers, twice each: the tests below are about the way, not about what is learned."""
    monkeypatch.setattr(lessons, "LEAST_TAUGHT_PLACES", 100)
    monkeypatch.setattr(lessons, "LEAST_JUDGED_PLACES", 20)
    monkeypatch.setattr(training, "EPOCHS", 2)
    monkeypatch.setattr(training, "BATCH", 100)


def only_file(folder: Path) -> Path:
    [found] = folder.glob("*/*")
    assert found.name == kept.FILE
    return found


def test_a_taught_draft_is_right_more_often(whole_teaching: tuple[Path, TeachingResult]) -> None:
    _, result = whole_teaching
    assert result.better
    assert result.after > result.before


def test_a_taught_draft_changes_no_text_and_no_downloaded_file(opened: Open, once_taught: Path, draft: Path) -> None:
    files = {path: hashlib.sha256(path.read_bytes()).digest() for path in draft.iterdir()}
    plain, scheduler = opened(), opened(once_taught)
    assert drafts_with(scheduler)
    assert alone(scheduler, request()).ids == alone(plain, request()).ids
    taught(scheduler)
    assert {path: hashlib.sha256(path.read_bytes()).digest() for path in draft.iterdir()} == files


@pytest.mark.full
def test_a_quantised_draft_is_taught_and_changes_no_text(
    opened: Open, tiny_main: Path, tiny_draft: Path, tmp_path: Path
) -> None:
    plain, scheduler = (opened(tmp_path / folder, tiny_draft, tiny_main) for folder in ("none", "some"))
    taught(scheduler)
    assert alone(scheduler, request()).ids == alone(plain, request()).ids


def test_what_was_taught_is_deleted(opened: Open, once_taught: Path, draft: Path) -> None:
    scheduler = opened(once_taught)
    scheduler.teaching.forget()
    assert scheduler.teaching.known() == TaughtDraft()
    assert not [path for path in once_taught.rglob("*") if path.is_file()]
    set_draft(scheduler, draft)
    assert not drafts_with(scheduler)


@pytest.mark.full
def test_teaching_goes_on_from_what_was_taught_before(opened: Open, once_taught: Path) -> None:
    scheduler = opened(once_taught)
    judged = scheduler.teaching.known().judged
    assert judged is not None
    outcome = taught(scheduler, answers())
    assert outcome.before == pytest.approx(judged.after, abs=0.01)
    assert only_file(once_taught)


def test_a_stopped_teaching_leaves_nothing_and_the_next_one_begins_anew(
    opened: Open, tmp_path: Path, draft: Path
) -> None:
    wanted = taught(opened(tmp_path / "other"))
    reports: list[TeachingProgress] = []
    scheduler = opened(listen=reports.append)
    outcomes = begin(scheduler)
    until(scheduler, reports, 4)
    # A change of the draft model stops it.
    set_draft(scheduler, draft)
    assert outcomes == [None]
    assert scheduler.teaching.known() == TaughtDraft()
    assert taught(scheduler) == wanted


def test_what_other_versions_or_a_killed_process_left_is_not_used_and_deleted(opened: Open, once_taught: Path) -> None:
    path = only_file(once_taught)
    left = [path.with_name(name) for name in ("taught.json", "1.safetensors", f".{kept.FILE}.0.partial")]
    for one in left:
        one.write_bytes(b"of another version")
    path.unlink()
    scheduler = opened(once_taught)
    assert scheduler.teaching.known() == TaughtDraft()
    assert not drafts_with(scheduler)
    taught(scheduler)
    assert not [one for one in left if one.exists()]


def test_answers_come_first(opened: Open) -> None:
    reports: list[TeachingProgress] = []
    scheduler = opened(listen=reports.append)
    outcomes = begin(scheduler)
    until(scheduler, reports, 2)
    client = Client(request())
    scheduler.admit(client.stream)
    seen = len(reports)
    while scheduler.busy:
        scheduler.upkeep.teach()
        assert len(reports) == seen
        scheduler.step()
    assert len(client.finished.ids) == 28
    assert isinstance(finish(scheduler, outcomes), TeachingResult)


def test_a_teaching_keeps_a_mac_awake(mac: Runtime, main: Path, draft: Path, tmp_path: Path) -> None:
    with Engine(EngineSettings(taught_folder=tmp_path)) as engine:
        engine.load(main, draft).result(PATIENCE_S)
        engine.teach(answers(12, 30))
        wait_until(lambda: bool(engine.teaching_progress.done))
        assert mac.open


@pytest.mark.full
def test_questions_that_others_answered_are_taught_and_go_nowhere_else(opened: Open) -> None:
    scheduler = opened()
    questions = [OwnAnswer(one.chat, one.messages) for one in answers(8)]
    taught(scheduler, questions)
    assert scheduler.status.prefix_cache.conversations == 0


def test_what_is_not_better_is_not_kept(opened: Open, main: Path) -> None:
    scheduler = opened(drafter=main)
    outcome = taught(scheduler)
    assert (outcome.before, outcome.better) == (1.0, False)
    assert scheduler.teaching.known() == TaughtDraft()


@pytest.mark.parametrize(
    "material",
    [
        pytest.param([], id="none", marks=pytest.mark.full),
        pytest.param(answers(2), id="few"),
        pytest.param(answers(highest=2**20), id="other ids"),
    ],
)
def test_too_little_or_bad_material_is_refused(opened: Open, material: list[OwnAnswer]) -> None:
    assert refused(opened(), material).reason == "too-little"


def test_no_draft_model_and_one_with_another_tokenizer_are_refused(opened: Open, main: Path, tmp_path: Path) -> None:
    none = opened(drafter=None)
    assert refused(none).reason == "no-draft"
    assert str(none.teaching.known().refusal) == str(refused(none))
    assert refused(opened(drafter=write_with_other_ids(main, tmp_path / "other"))).reason == "other-tokenizer"


def test_memory_is_reckoned_before(opened: Open, tmp_path: Path) -> None:
    scheduler = opened()
    limit = scheduler.models.memory.use().active + 2**20
    scheduler.configure(EngineSettings(taught_folder=tmp_path, memory_limit=limit))
    assert refused(scheduler).reason == "no-memory"


def test_a_full_disk_keeps_what_was_taught_before(
    opened: Open, once_taught: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    scheduler = opened(once_taught)
    known = scheduler.teaching.known()
    monkeypatch.setattr(kept, "write_atomically", full)
    monkeypatch.setattr(teaching, "is_better", lambda _before, _after: True)
    assert refused(scheduler).arguments == {"reason": "disk", "detail": "No space left on device"}
    assert opened(once_taught).teaching.known() == known


def test_nothing_begins_on_a_full_disk(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST_FREE", 2**62)
    assert refused(opened()).reason == "disk"


@pytest.mark.parametrize("which", ["main", pytest.param("draft", marks=pytest.mark.full)])
def test_a_changed_model_is_used_as_it_was_downloaded(
    opened: Open, once_taught: Path, main: Path, draft: Path, tmp_path: Path, which: str
) -> None:
    models = {"main": main, "draft": draft}
    models[which] = moved = shutil.copytree(models[which], tmp_path / which)
    # The same files at another place are the same model.
    assert opened(once_taught, models["draft"], models["main"]).teaching.known().problem == ""
    weights = {name: array * 1.01 for name, array in dict(mx.load(str(moved / "model.safetensors"))).items()}
    mx.save_safetensors(str(moved / "model.safetensors"), weights, {"format": "mlx"})
    changed = opened(once_taught, models["draft"], models["main"])
    assert changed.teaching.known().problem == "changed"
    assert not drafts_with(changed)
    # A new teaching begins anew.
    taught(changed)


@pytest.mark.parametrize(
    ("which", "steps"),
    [("main", 0), ("draft", 0), ("head", 0), pytest.param("main", 1, id="main, while the draft's copy is loaded")],
)
def test_what_was_replaced_since_it_was_loaded_is_not_taught(
    opened: Open, main: Path, draft: Path, tmp_path: Path, which: str, steps: int
) -> None:
    """What is learned is kept for the models on the disk, by their content."""
    copy = Path(shutil.copytree(main, tmp_path / "main"))
    drafter = write_head(tmp_path / "head", main) if which == "head" else shutil.copytree(draft, tmp_path / "draft")
    scheduler = opened(tmp_path / "taught", drafter, copy)
    outcomes = begin(scheduler)
    for _ in range(steps):
        scheduler.upkeep.teach()
    file = (copy if which == "main" else drafter) / "model.safetensors"
    weights = {name: array * 1.01 for name, array in dict(mx.load(str(file))).items()}
    mx.save_safetensors(str(file), weights, {"format": "mlx"})
    outcome = finish(scheduler, outcomes)
    assert isinstance(outcome, CannotTeach)
    assert outcome.reason == "changed"


@pytest.mark.expects_log
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-9],
        pytest.param(lambda _: b"", marks=pytest.mark.full),
        pytest.param(lambda data: data[:200] + b"\xff" * 40, marks=pytest.mark.full),
    ],
)
def test_damaged_files_leave_the_draft_as_it_was_downloaded(
    opened: Open, once_taught: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = only_file(once_taught)
    path.write_bytes(damage(path.read_bytes()))
    scheduler = opened(once_taught)
    assert not drafts_with(scheduler)
    assert scheduler.teaching.known().problem == "damaged"


def test_an_engine_teaches_while_it_is_idle(main: Path, draft: Path, tmp_path: Path) -> None:
    with Engine(EngineSettings(taught_folder=tmp_path)) as engine:
        engine.load(main, draft).result(PATIENCE_S)
        outcome = engine.teach(answers(12, 30))
        stream = engine.submit(request())
        assert len([*stream]) > 2
        result = outcome.result(PATIENCE_S)
        assert result is not None
        assert engine.teaching_progress == TeachingProgress()
        assert engine.taught().result(PATIENCE_S).judged == (result if result.better else None)
        engine.forget_taught().result(PATIENCE_S)
        assert engine.taught().result(PATIENCE_S) == TaughtDraft()
        # It can be stopped at any time, and ends with the engine.
        second = engine.teach(answers(12, 30))
        engine.stop_teaching().result(PATIENCE_S)
        assert second.result(PATIENCE_S) is None
        third = engine.teach(answers(12, 30))
    assert third.result(PATIENCE_S) is None
