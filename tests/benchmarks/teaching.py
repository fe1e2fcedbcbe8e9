"""What teaching a draft gains: `python -m tests.benchmarks.teaching [--chats N] [--head]`.

The chats are a person's in English, of up to three turns. Each asks about a few of the guide's topics, with words left
out or two questions mixed up, or has some of the guide's own sentences copied or summarised. No two ask the same, and
none asks what the recipe's evaluation does. The answers are the main model's own, drawn at temperature 1. The general
set is the development questions about everything else, in four languages, answered likewise.

The starter's draft model, or its head, is weakened by noise on its weights until it is right at about 60% of the places
of the chats held out, taught in the engine's own way, and judged there and on the general set. Speeds are medians of
greedy answers in chats held out.

What flatters still: the guide knows few texts by heart, so that it says most of them in chats held out and in chats
taught; the figure for the answers that are mostly other words ("new") is apart. The draft learned the texts before it
was weakened.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import engine  # noqa: F401  Chooses the BLAS, which has to be before mlx is loaded.

# isort: split
import mlx.core as mx
import numpy as np

from engine.client import RequestStream
from engine.engine import starter_pair
from engine.errors import EngineError
from engine.events import Event, Finished
from engine.files.steps import run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import ChatRequest, OwnAnswer, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import TeachingResult
from engine.teaching.lessons import Lesson, is_held_out, read_answer
from engine.teaching.training import batches_of, right_places
from engine.upkeep.teaching import student_of
from resources.starter.recipe.content import LANGUAGES, held_out_wordings, read_content, read_development
from resources.starter.recipe.content import read_odd_requests as odd_requests
from resources.starter.recipe.noise import drop_words, splice
from resources.starter.recipe.templates import fill, normalised
from resources.starter.recipe.voice import Voice

# The share of right places that noise leaves.
WEAKENED = 0.6
TOPICS, TIMED, WARM_UP, LONGEST = 16, 12, 4, 200
GREEDY = SamplingSettings()
# An answer is new if more than half of its tokens never follow the same STRETCH tokens in the answers taught.
STRETCH = 6

# A chat's name and what is asked in it.
Chat = tuple[str, Sequence[str]]
Messages = Sequence[Mapping[str, Any]]


def own_topics() -> list[str]:
    return list(read_content("en").topics)[::3][:TOPICS]


def question(voice: Voice) -> str:
    """Draw a question about one of the person's topics, or a request to work on a text about one."""
    rng, topics = voice.rng, read_content("en").topics
    first, second = (topics[name] for name in rng.sample(own_topics(), 2))
    kind = rng.random()
    if kind < 0.3:
        sentences = first.answer.replace("\n", " ").split(". ")
        return fill(rng.choice(odd_requests()["en"]["copy"]), {"text": rng.choice(sentences)})
    if kind < 0.5 and first.followups:
        return f"{voice.word(first.questions)} {voice.word(rng.choice(first.followups).questions)}"
    if kind < 0.7:
        return splice(voice.word(first.questions), voice.word(second.questions), "en", rng)
    return drop_words(voice.word(first.questions), "en", rng, 0.2)


def personal(chats: int) -> Iterator[Chat]:
    """Yield the person's chats, none of which asks what another one or the recipe's evaluation asks."""
    asked = set(held_out_wordings())
    for number in range(chats):
        voice = Voice("en", random.Random(f"own/{number}"))
        drawn = (question(voice) for _ in range(voice.rng.randint(1, 3)))
        turns = {normalised(one): one for one in drawn if normalised(one) not in asked}
        asked |= turns.keys()
        yield f"own/{number}", list(turns.values())


def general(chats: int) -> Iterator[Chat]:
    for language in LANGUAGES:
        found = [one.turns for one in read_development(language) if one.subject not in own_topics()]
        for turns in random.Random(1).sample(found, chats // len(LANGUAGES)):
            yield f"general/{language}", turns


def answers(scheduler: Scheduler, chats: Iterable[Chat]) -> list[OwnAnswer]:
    """Return the answers of the main model to all turns of chats."""
    found: list[OwnAnswer] = []
    for name, turns in chats:
        messages: Messages = []
        for turn in turns:
            messages = [*messages, {"role": "user", "content": turn}]
            answer = answered(scheduler, messages, "auto", SamplingSettings(1.0, seed=len(found)))
            found.append(OwnAnswer(name, messages, answer.ids))
            messages = [*messages, {"role": "assistant", "content": answer.text}]
    return found


def disturbed(draft: Path, folder: Path, noise: float) -> None:
    """Write a draft model with so much noise on its matrices, as a share of each one's deviation."""
    shutil.copytree(draft, folder, dirs_exist_ok=True)
    weights = mx.load(str(draft / "model.safetensors"))
    assert isinstance(weights, dict)
    for key, name in zip(mx.random.split(mx.random.key(1), len(weights)), sorted(weights), strict=True):
        array = weights[name]
        if array.ndim == 2 and mx.issubdtype(array.dtype, mx.floating):
            added = mx.random.normal(array.shape, key=key) * array.astype(mx.float32).std()
            weights[name] = (array.astype(mx.float32) + noise * added).astype(array.dtype)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})


def weaken(scheduler: Scheduler, draft: Path, folder: Path, lessons: Sequence[Lesson]) -> None:
    """Draft with a copy in `folder`, whose noise leaves WEAKENED of the places right."""
    low, high = 0.0, 0.8
    for _ in range(8):
        noise = (low + high) / 2
        disturbed(draft, folder, noise)
        run_to_completion(scheduler.changes.set_draft(folder))
        low, high = (noise, high) if right(scheduler, lessons) > WEAKENED else (low, noise)


def answered(scheduler: Scheduler, messages: Messages, method: str, sampling: SamplingSettings = GREEDY) -> Finished:
    events: list[Event] = []
    request = ChatRequest(messages, sampling, SpeculationSettings(method), max_tokens=LONGEST)
    scheduler.admit(RequestStream(request, on_event=events.append))
    while scheduler.step():
        pass
    assert isinstance(events[-1], Finished), events[-1]
    return events[-1]


def lessons_of(main: LoadedModel, answers: Sequence[OwnAnswer]) -> list[Lesson]:
    return [one for answer in answers for one in run_to_completion(read_answer(main, answer, main.vocabulary))]


def stretches(lesson: Lesson) -> set[tuple[int, ...]]:
    """Return the STRETCH tokens before each place, with the one that the main model holds likeliest there."""
    ends = enumerate(lesson.likeliest[:, 0], lesson.start + 1)
    return {(*lesson.ids[max(0, end - STRETCH) : end], int(token)) for end, token in ends}


def right(scheduler: Scheduler, lessons: Sequence[Lesson]) -> float:
    """Return the share of places at which the drafter in use is right."""
    assert scheduler.models.drafter is not None
    student = student_of(scheduler.models.drafter, scheduler.models.main)
    return float(np.concatenate([right_places(student, batch) for batch in batches_of(lessons)]).mean())


def speeds(scheduler: Scheduler, asked: Sequence[OwnAnswer]) -> list[float]:
    """Return the median tokens a second with and without speculation, asked in turn; the first ones warm up."""
    pairs = [
        [answered(scheduler, one.messages, way).stats.decode_tps or 0.0 for way in ("draft", "off")] for one in asked
    ]
    return [median(found[WARM_UP:]) for found in zip(*pairs, strict=True)]


def teach(scheduler: Scheduler, answers: Sequence[OwnAnswer]) -> TeachingResult:
    outcomes: list[TeachingResult | EngineError | None] = []
    scheduler.teaching.begin(answers, outcomes.append)
    while not outcomes:
        scheduler.teach()
    [outcome] = outcomes
    assert isinstance(outcome, TeachingResult), outcome
    return outcome


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--chats", type=int, default=200)
    parser.add_argument("--head", action="store_true", help="teach the starter's head instead of its draft model")
    asked_for = parser.parse_args()
    chats = asked_for.chats
    main_model, draft_model = starter_pair()
    drafter = main_model.parent / "head" if asked_for.head else draft_model
    with tempfile.TemporaryDirectory() as folder:
        scheduler = Scheduler(EngineSettings(taught_folder=Path(folder) / "taught"))
        whole = load(main_model)
        scheduler.install(whole, load(draft_model))
        own = answers(scheduler, personal(chats))
        others = lessons_of(whole, answers(scheduler, general(chats // 2)))
        asked = [answer for answer in own if is_held_out(answer.chat)]
        held_out = lessons_of(whole, asked)
        taught = lessons_of(whole, [answer for answer in own if not is_held_out(answer.chat)])
        known = {stretch for lesson in taught for stretch in stretches(lesson)}
        new = [lesson for lesson in held_out if 2 * len(stretches(lesson) - known) > lesson.places]
        sets = {"held out": held_out, "of these, new": new, "in general": others}
        for name, lessons in {"taught": taught, **sets}.items():
            print(f"{len(lessons)} answers {name}, {sum(lesson.places for lesson in lessons)} places", flush=True)

        def report(when: str) -> None:
            shares = ", ".join(f"{right(scheduler, lessons):.1%} {name}" for name, lessons in sets.items())
            drafting, plain = speeds(scheduler, asked[: WARM_UP + TIMED])
            print(f"{when}: right {shares}; {drafting:.0f} tokens/s, {drafting / plain:.2f} times plain", flush=True)

        draft = Path(folder) / "draft"
        weaken(scheduler, drafter, draft, held_out)
        report("before")
        started, used = time.monotonic(), time.process_time()
        result = teach(scheduler, own)
        took, used = time.monotonic() - started, time.process_time() - used
        print(f"taught in {took:.0f} s, {used:.0f} s of CPU time", flush=True)
        run_to_completion(scheduler.changes.set_draft(draft))
        assert scheduler.models.drafter is not None
        assert bool(scheduler.models.drafter.info.taught) == result.better
        report("after")
        scheduler.close()


if __name__ == "__main__":
    main()
