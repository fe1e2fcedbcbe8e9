"""Heads in chats about pictures: the same text as without, and caches at the positions of the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import mlx.core as mx
import pytest

from engine.pictures.reading import PictureFiles, digest_of
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.drafters.head_session import HeadSession
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.lossless.chain_sessions import Told, assert_close, session_of
from tests.engine.pictures.questions import DOG, FOX, QUESTIONS, QUESTIONS_AND_TEMPERATURES, answered, asked
from tests.engine.serving_requests import PLAIN, alone, open_scheduler, run
from tests.engine.tiers import by_tier
from tests.tiny_eagle import write_eagle_head
from tests.tiny_heads import write_head
from tests.tiny_mtp import write_mtp_head
from tests.tiny_vision import MODELS, write_vision_model

HEAD = SpeculationSettings(method="draft", depth=3, sample_share=0.0)
WRITERS = {"mtp": write_mtp_head, "eagle": write_eagle_head, "dflash": write_head}
# Layers of the main model, of its own size of rotary positions and of another.
HEADS = ["qwen3_5 mtp", "qwen2_5_vl eagle", "qwen3_vl dflash", "gemma3 eagle"]


@pytest.fixture(scope="module", params=by_tier(HEADS, HEADS[:1]))
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheduler]:
    family, kind = request.param.split()
    folder = tmp_path_factory.mktemp("heads")
    main = write_vision_model(folder / "main", MODELS[family])
    with open_scheduler(main, WRITERS[kind](folder / "head", main), most_active=8) as scheduler:
        yield scheduler


def keys_of(session: HeadSession) -> list[mx.array]:
    return [array for name, array in sorted(session.context.state.items()) if name.endswith(".keys")]


def read_at_once(scheduler: Scheduler) -> HeadSession:
    """Return a session of the head that has read the latest conversation in one pass."""
    latest, main, session = scheduler.prefix_cache.latest.main, scheduler.models.main, session_of(scheduler)
    sequence = CachedSequence(main.model, main.new_caches())
    sequence.tokens, sequence.pictures = [*latest.tokens[: session.length], 0], latest.pictures
    sequence.reader = reader = main.reader(PictureFiles({digest_of(file): file for file in (FOX, DOG)}))
    for picture in latest.pictures:
        reader.read(picture)
    sequence.listener = anew = HeadSession(session.head, session.taps)
    sequence.positions = anew.positions = reader.positions(latest.pictures)
    assert sequence.prefill(4096) == session.length
    anew.read_all()
    return anew


def assert_as_read_at_once(scheduler: Scheduler) -> None:
    for one, other in zip(keys_of(session_of(scheduler)), keys_of(read_at_once(scheduler)), strict=True):
        # The last pair of a chain may have been made with a token that an answer's end has cut off.
        rows = min(one.shape[2], other.shape[2]) - 1
        assert rows > 30
        assert_close(one[:, :, :rows], other[:, :, :rows])


@pytest.mark.parametrize(("where", "temperature"), QUESTIONS_AND_TEMPERATURES)
def test_a_head_does_not_change_the_text(
    served: Scheduler, where: str, temperature: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(monkeypatch)
    served.clear_prefix_cache()
    question = asked(*QUESTIONS[where], temperature=temperature)
    [plain] = run(served, question)
    # Every third token is wrong.
    whole = [*served.prefix_cache.latest.main.tokens[: plain.finished.stats.prompt_tokens], *plain.finished.ids]
    told.answers = [token if at % 3 else 0 for at, token in enumerate(whole)]
    served.clear_prefix_cache()
    [drafted] = run(served, replace(question, speculation=HEAD))
    assert drafted.finished.ids == plain.finished.ids
    assert drafted.finished.stats.drafted > drafted.finished.stats.accepted
    assert_as_read_at_once(served)


@pytest.mark.full
def test_answers_at_once_and_a_next_turn_are_those_alone(served: Scheduler) -> None:
    questions = [asked(*content, speculation=HEAD) for content in QUESTIONS.values()]
    expected = [alone(served, replace(question, speculation=PLAIN)) for question in questions]
    clients = run(served, *questions)
    assert [client.finished.ids for client in clients] == [answer.ids for answer in expected]
    turn = answered(QUESTIONS["after"], expected[2].text)
    again = asked("the fox ", FOX, before=turn, files=[DOG], speculation=HEAD)
    [client] = run(served, again)
    assert client.finished.stats.cached_tokens > 0
    assert_as_read_at_once(served)
    assert client.finished.ids == alone(served, again).ids


def test_a_head_that_joins_late_reads_no_picture_again(served: Scheduler) -> None:
    """Only the text behind it: its embedding is not known, because the caches held it."""
    served.clear_prefix_cache()
    [first] = run(served, asked(*QUESTIONS["after"]))
    turn = answered(QUESTIONS["after"], first.finished.text)
    again = asked("the fox", before=turn, files=[DOG], speculation=HEAD)
    [client] = run(served, again)
    assert client.finished.stats.cached_tokens > 0
    assert client.finished.stats.picture_tokens == 0
    assert client.finished.stats.drafted > 0
    assert client.finished.ids == alone(served, replace(again, speculation=PLAIN)).ids
