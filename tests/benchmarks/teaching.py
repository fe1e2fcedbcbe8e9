"""What teaching a draft gains: `python -m tests.benchmarks.teaching [--chats N]`.

The starter's draft is weakened by noise on its weights until it is right at about 60% of the places in a person's
chats, which are about a few topics in one language. Their answers are those that the main model knows by heart. The
draft model is taught in the engine's own way, judged on the chats held out, and compared on questions about all other
topics in four languages. Speeds are medians of answers to questions held out.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

import mlx.core as mx

from engine.client import RequestStream
from engine.engine import starter_pair
from engine.errors import EngineError
from engine.events import Finished
from engine.files.steps import run_to_completion
from engine.main_model.loading import LoadedModel, load
from engine.requests import ChatRequest, OwnAnswer, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.drafters.draft_source import DraftSource
from engine.status import TeachingResult
from engine.teaching.lessons import Lesson, is_held_out, read_answer
from engine.teaching.training import batches_of, right_places
from resources.starter.recipe.content import LANGUAGES, read_content, read_development
from resources.starter.recipe.voice import Voice

# The share of right places that noise leaves, and how closely it is met.
WEAKENED, CLOSE = 0.6, 0.02
TOPICS, TIMED = 16, 8


def own_topics() -> list[str]:
    return list(read_content("en").topics)[::3][:TOPICS]


def own_answers(main: LoadedModel, questions: Iterable[tuple[str, str, str]]) -> list[OwnAnswer]:
    """Return answers to lines of a chat's name, a question, and the answer that the main model knows by heart."""
    return [
        OwnAnswer(name, [{"role": "user", "content": question}], tuple(main.encode(answer)))
        for name, question, answer in questions
    ]


def personal(chats: int) -> Iterator[tuple[str, str, str]]:
    for number in range(chats):
        voice = Voice("en", random.Random(f"own/{number}"))
        topic = read_content("en").topics[own_topics()[number % TOPICS]]
        yield f"own/{number}", voice.word(topic.questions), topic.answer


def general(count: int) -> Iterator[tuple[str, str, str]]:
    for language in LANGUAGES:
        topics = read_content(language).topics
        found = [one for one in read_development(language) if one.subject in topics.keys() - set(own_topics())]
        for one in found[: count // len(LANGUAGES)]:
            yield f"general/{language}", one.turns[0], topics[one.subject].answer


def disturbed(draft: Path, folder: Path, noise: float) -> LoadedModel:
    """Write a draft model with so much noise on its matrices, as a share of each one's deviation, and load it."""
    shutil.copytree(draft, folder, dirs_exist_ok=True)
    weights = mx.load(str(draft / "model.safetensors"))
    assert isinstance(weights, dict)
    for key, name in zip(mx.random.split(mx.random.key(1), len(weights)), sorted(weights), strict=True):
        array = weights[name]
        if array.ndim == 2 and mx.issubdtype(array.dtype, mx.floating):
            added = mx.random.normal(array.shape, key=key) * array.astype(mx.float32).std()
            weights[name] = (array.astype(mx.float32) + noise * added).astype(array.dtype)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    return load(folder)


def weakened(draft: Path, folder: Path, lessons: Sequence[Lesson]) -> LoadedModel:
    """Find the noise that leaves WEAKENED of the places right."""
    low, high = 0.0, 0.8
    while True:
        noise = (low + high) / 2
        found = disturbed(draft, folder, noise)
        right = share_right(found, lessons)
        print(f"noise {noise:.3f}: {right:.1%} right", flush=True)
        if abs(right - WEAKENED) < CLOSE or high - low < 0.01:
            return found
        low, high = (noise, high) if right > WEAKENED else (low, noise)


def answered(scheduler: Scheduler, question: str, method: str) -> Finished:
    events = []
    request = ChatRequest(
        [{"role": "user", "content": question}], speculation=SpeculationSettings(method), max_tokens=120
    )
    scheduler.admit(RequestStream(request, on_event=events.append))
    while scheduler.step():
        pass
    assert isinstance(events[-1], Finished), events[-1]
    return events[-1]


def lessons_of(main: LoadedModel, answers: Sequence[OwnAnswer]) -> list[Lesson]:
    return [one for answer in answers for one in run_to_completion(read_answer(main, answer, main.vocabulary))]


def share_right(draft: LoadedModel, lessons: Sequence[Lesson]) -> float:
    """Return the share of places at which a draft model is right."""
    found = [bool(right) for batch in batches_of(lessons) for right in right_places(draft.model, batch)]
    return sum(found) / len(found)


def speeds(scheduler: Scheduler, questions: Sequence[str]) -> tuple[float, float]:
    """Return the median tokens a second with and without speculation, asked in turn."""
    drafting, plain = [], []
    for question in questions:
        for method, found in (("draft", drafting), ("off", plain)):
            found.append(answered(scheduler, question, method).stats.decode_tps or 0.0)
    return median(drafting), median(plain)


def taught(scheduler: Scheduler, answers: Sequence[OwnAnswer]) -> TeachingResult:
    outcomes: list[TeachingResult | EngineError] = []
    scheduler.teaching.begin(answers, outcomes.append)
    while not outcomes:
        scheduler.teach()
    [outcome] = outcomes
    assert isinstance(outcome, TeachingResult), outcome
    return outcome


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--chats", type=int, default=200)
    asked = parser.parse_args()
    main_model, draft_model = starter_pair()
    with tempfile.TemporaryDirectory() as folder:
        scheduler = Scheduler(EngineSettings(taught_folder=Path(folder) / "taught"))
        whole = load(main_model)
        scheduler.install(whole, None)
        answers = own_answers(whole, personal(asked.chats))
        others = lessons_of(whole, own_answers(whole, general(asked.chats // 2)))
        print(f"{len(answers)} answers, {sum(len(one.ids) for one in answers)} tokens", flush=True)
        held_out = lessons_of(whole, [answer for answer in answers if is_held_out(answer.chat)])
        draft = weakened(draft_model, Path(folder) / "draft", held_out)
        timed = [question for name, question, _ in personal(asked.chats) if is_held_out(name)][:TIMED]
        scheduler.install(whole, draft)
        report("before", share_right(draft, held_out), share_right(draft, others), speeds(scheduler, timed))
        started = time.process_time()
        result = taught(scheduler, answers)
        print(f"taught in {time.process_time() - started:.0f} s of CPU time: {result}", flush=True)
        run_to_completion(scheduler.changes.set_draft(draft.info.path, allow_oversize=False))
        after = scheduler.models.drafter
        assert isinstance(after, DraftSource)
        assert after.info.taught == result.number
        report("after", share_right(after.model, held_out), share_right(after.model, others), speeds(scheduler, timed))
        scheduler.close()


def report(when: str, personal: float, general: float, tps: tuple[float, float]) -> None:
    print(
        f"{when}: {personal:.1%} right in held-out chats, {general:.1%} on general questions; "
        f"{tps[0]:.0f} tokens/s, {tps[1]:.0f} without speculation",
        flush=True,
    )


if __name__ == "__main__":
    main()
