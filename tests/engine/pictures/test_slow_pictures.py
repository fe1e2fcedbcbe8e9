"""Pictures that take long to decode: other requests go on meanwhile, and all pictures of a request share one limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from engine.errors import EngineClosed, PictureNotUsable
from engine.events import Failed, Finished
from engine.pictures import reading
from engine.pictures.reading import PICTURES, PictureFiles, picture_size
from engine.sandbox import file_reading
from engine.serving.scheduler import Scheduler
from tests.engine.pictures.questions import DOG, FOX, asked
from tests.engine.serving_requests import Client, alone, open_scheduler, run, submit
from tests.patience import PATIENCE_S, wait_until
from tests.slow_files import slow_jpeg
from tests.tiny_models import write_disturbed_copy
from tests.tiny_vision import MODELS, picture, write_vision_model

TEXT = replace(asked("the quick brown fox"), messages=[{"role": "user", "content": "the quick brown fox"}])


@pytest.fixture
def prompts_without_waiting() -> None:
    """Here, prompts wait for pictures that are being decoded."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_vision_model(tmp_path_factory.mktemp("vision") / "model", MODELS["qwen3_5"])


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Scheduler]:
    with open_scheduler(folder, most_active=2) as scheduler:
        alone(scheduler, TEXT)
        yield scheduler


@pytest.fixture
def stopped() -> Iterator[psutil.Process]:
    """The process of pictures, which decodes nothing until it is resumed."""
    PICTURES.quick.start()
    process = psutil.Process(PICTURES.quick.pid)
    process.suspend()
    yield process
    if process.is_running():
        process.resume()


def ended(client: Client) -> bool:
    return bool(client.events) and isinstance(client.last, Finished | Failed)


def until(scheduler: Scheduler, holds: Callable[[], bool]) -> None:
    begun = time.monotonic()
    while not holds():
        scheduler.step()
        assert time.monotonic() < begun + PATIENCE_S, "it did not become true"


def test_others_begin_while_the_pictures_of_those_before_them_are_measured(
    served: Scheduler, stopped: psutil.Process
) -> None:
    """There are as many of these as may be served at once."""
    slow = [submit(served, asked("the fox ", picture(seed, 40, 31))) for seed in (21, 22)]
    text = submit(served, TEXT)
    until(served, lambda: ended(text))
    assert not any(client.events for client in slow)
    stopped.resume()
    until(served, lambda: all(ended(client) for client in slow))


@pytest.mark.full
def test_others_begin_and_go_on_while_the_tower_waits_for_a_picture(served: Scheduler, stopped: psutil.Process) -> None:
    stopped.resume()
    picture_size(FOX)
    expected = alone(served, asked("the fox ", FOX)).ids
    served.clear_prefix_cache()
    stopped.suspend()
    slow = submit(served, asked("the fox ", FOX))
    until(served, lambda: bool(slow.events))
    text = submit(served, TEXT)
    until(served, lambda: ended(text))
    assert not ended(slow)
    stopped.resume()
    until(served, lambda: ended(slow))
    assert slow.finished.ids == expected


def test_a_picture_that_takes_long_keeps_no_place_of_others(
    served: Scheduler, stopped: psutil.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its size is known, as of one that is sent again and again."""
    monkeypatch.setattr(reading, "LONG_S", -1.0)
    stopped.resume()
    picture_size(FOX)
    stopped.suspend()
    slow = [submit(served, asked(f"{words} fox ", FOX)) for words in ("the", "a", "no")]
    text = submit(served, TEXT)
    until(served, lambda: ended(text))
    stopped.resume()
    until(served, lambda: all(ended(client) for client in slow))
    assert all(isinstance(client.last, Finished) for client in slow)


@pytest.mark.parametrize(
    "known", [pytest.param(False, id="measured", marks=pytest.mark.full), pytest.param(True, id="read by the tower")]
)
def test_a_request_that_is_cancelled_ends_its_decodes(served: Scheduler, stopped: psutil.Process, known: bool) -> None:
    file = picture(23 + known, 40, 32)
    if known:
        stopped.resume()
        picture_size(file)
        stopped.suspend()
    slow = submit(served, asked("the fox ", file))
    until(served, lambda: bool(slow.events) or (not known and bool(served.status.waiting)))
    served.step()
    slow.stream.cancel()
    until(served, lambda: ended(slow))
    wait_until(lambda: not stopped.is_running())
    # Another one takes its place.
    [other] = run(served, asked("the fox ", file))
    assert isinstance(other.last, Finished)


@pytest.mark.full
def test_another_model_answers_while_pictures_are_measured(
    served: Scheduler, stopped: psutil.Process, folder: Path, tmp_path: Path
) -> None:
    other = write_disturbed_copy(folder, tmp_path / "other", amount=0.01)
    assert served.models.own is not None
    served.changes.enqueue(served.changes.load_additional(other, None), lambda _: None)
    until(served, lambda: not served.changes.busy)
    slow = submit(served, replace(asked("the fox ", picture(25, 40, 33)), main=str(served.models.own)))
    text = submit(served, replace(TEXT, main=str(other)))
    until(served, lambda: ended(text))
    assert not slow.events
    stopped.resume()
    until(served, lambda: ended(slow))


def test_the_pictures_of_a_request_share_a_limit_of_time(served: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them could be read alone."""
    pictures = [slow_jpeg(1000, 150, shade) for shade in range(14)]
    seconds = reading.read_picture(pictures[0]).seconds
    monkeypatch.setattr(reading, "DECODE_S", 4 * seconds)
    monkeypatch.setattr(reading, "A_PICTURE_S", 0)
    [client] = run(served, asked("the fox ", *pictures))
    assert isinstance(client.last, Failed)
    assert isinstance(client.last.error, PictureNotUsable)
    assert client.last.error.reason == "too-slow-together"
    [good] = run(served, asked("the fox ", FOX, DOG))
    assert isinstance(good.last, Finished)


def test_a_good_picture_does_not_wait_for_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reading, "QUICK_S", 0.3)
    PICTURES.slow.release()
    request = PictureFiles({"slow": slow_jpeg(7000, 400)})
    slow = request.decode("slow", [], 0)
    wait_until(lambda: PICTURES.slow.pid is not None)
    assert picture_size(picture(36, 41, 30)) == (41, 30)
    assert request.pending == [slow]
    request.abandon()
    with pytest.raises(EngineClosed):
        slow.result(PATIENCE_S)
