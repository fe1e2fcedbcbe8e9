"""Records the starter's answers and costs for simulations.

`python -m tests.tools.record answers` lets each drafter of the starter propose after every token of answers of the main
model, which gives its proposals there in any round. `... costs` times the passes and the drafting of a quiet machine,
`... reading` how much longer a head's rounds take if its tokens are waited for. `... answers mtp` and
`... costs head mtp` record only these drafters anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from math import inf
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, ClassVar

import engine  # noqa: F401  Chooses the BLAS, which has to be before mlx is loaded.

# isort: split
import mlx.core as mx

from engine.bench.prompts import BUILT_IN
from engine.bench.synthetic import random_script, synthetic_draft, synthetic_main
from engine.files.steps import run_to_completion
from engine.main_model.sampling import Sampler
from engine.methods import PROPOSERS
from engine.requests import MAX_DEPTH, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.conversation import CachedConversation
from engine.speculation.drafters.sources import DraftSource, HeadSource, prepare_draft
from engine.speculation.proposers import draft_model
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.proposers.head import HeadProposer
from engine.speculation.rounds.proposal import Proposer
from engine.speculation.rounds.round import PendingRound
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.tap_choice import TEXT
from engine.upkeep.models import Models
from resources.starter.recipe.content import LANGUAGES, read_development
from tests.engine.serving_requests import load_models
from tests.engine.speculation.proposed_rounds import ProposedRounds

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "engine" / "speculation"
ANSWERS, COSTS = "recorded_starter.json", "recorded_costs.json"
SIZES = ("10M", "50M", "200M")
STARTER = ROOT / "resources" / "starter"
HEADS = ROOT / "tests" / "starter" / "heads"
DRAFTERS = {"draft": STARTER / "draft", "head": STARTER / "head", "eagle3": HEADS / "eagle3", "mtp": HEADS / "mtp"}
MOST_TOKENS = 96
FROM_DEVELOPMENT = 5
# Writes hundredths as printable characters.
ZERO = 33
REPETITIONS, OF_SIZES = 10, 4
# The number of pairs of rounds, with and without reading a head's confidence.
READINGS = 60
# The number of rounds in a run of plain rounds.
PLAIN_ROUNDS = 12


class _Chances:
    """Replaces `draft_model.EarlyStop`: it never stops, and notes the probability of each token."""

    noted: ClassVar[list[float]] = []

    def note(self, scores: mx.array) -> mx.array:
        probability = draft_model.top_probabilities(scores)
        self.noted.append(float(probability.item()))
        return probability

    def reached(self) -> bool:
        return False


def questions() -> list[tuple[str, str, str]]:
    """Return (kind, language, text) of the bench's questions, and of some that the starter was developed with."""
    asked = [(prompt.kind, prompt.language, prompt.text) for prompt in BUILT_IN]
    for language in LANGUAGES:
        rows = read_development(language)
        asked += [("other", language, row.turns[-1]) for row in rows[:: len(rows) // FROM_DEVELOPMENT]]
    return asked


def recorded(
    models: Models, drafter: DraftSource | HeadSource, prompt: list[int]
) -> tuple[list[int], list[int], list[list[float]]]:
    """Return the answer's tokens, and for each but the first the number of right proposals and their probabilities."""
    main = models.main
    assert main is not None
    rounds, proposer = begin(main, drafter, prompt)
    first = rounds.propose(0)
    rounds.keep(first, 0, rounds.wait(first).tokens[:1])
    right: list[int] = []
    chances: list[list[float]] = []
    noted: list[float] = []
    _Chances.noted = noted
    if isinstance(proposer, HeadProposer):
        note_chances(proposer, noted)
    while len(right) < MOST_TOKENS and rounds.sequence.tokens[-1] not in main.end_tokens:
        while proposer.prepare():
            pass
        noted.clear()
        current = rounds.propose(min(MAX_DEPTH, proposer.max_proposals()))
        result = rounds.wait(current)
        rounds.keep(current, 0, result.tokens[:1])
        ends = [i for i, token in enumerate(result.tokens[: result.accepted]) if token in main.end_tokens]
        right.append(ends[0] + 1 if ends else result.accepted)
        chances.append(list(noted))
    return rounds.sequence.tokens[len(prompt) :], right, chances


def begin(main: Any, drafter: Any, prompt: list[int]) -> tuple[ProposedRounds, Proposer]:
    """Return greedy rounds after a prompt that was read, and their proposer."""
    sampler = Sampler(SamplingSettings(seed=0), main.vocabulary)
    conversation = CachedConversation(CachedSequence(main.model, main.new_caches()))
    if isinstance(drafter, HeadSource):
        conversation.attach_head(drafter.head, drafter.taps)
    conversation.main.append(prompt)
    while conversation.main.prefill(512):
        pass
    proposer = proposer_of(main, drafter, conversation, sampler)
    return ProposedRounds(conversation.main, sampler, proposer), proposer


def commit(rounds: ProposedRounds, current: PendingRound) -> None:
    """Commit the round so that the text hardly grows."""
    rounds.keep(current, 0, rounds.wait(current).tokens[:1])


def note_chances(proposer: HeadProposer, noted: list[float]) -> None:
    head = proposer.session.head
    propose = head.propose

    def noting(*arguments: Any) -> Any:
        proposed = propose(*arguments)
        noted.extend(mx.exp(proposed.scores.max(axis=-1) - mx.logsumexp(proposed.scores, axis=-1)).tolist())
        return proposed

    head.propose = noting


def proposer_of(main: Any, drafter: Any, conversation: CachedConversation, sampler: Sampler) -> Proposer:
    context = ProposerContext(main, drafter, conversation, sampler, SpeculationSettings())
    for entry in PROPOSERS.values():
        if entry.uses_drafter:
            proposer: Proposer | None = getattr(import_module(entry.module), entry.builder)(context)
            if proposer is not None:
                return proposer
    raise AssertionError("no drafter")


def packed(chances: list[float]) -> str:
    return "".join(chr(ZERO + min(93, round(93 * chance))) for chance in chances)


def record_answers(names: Sequence[str]) -> None:
    """Record these drafters; unless they are all, the main model's answers must equal the recorded ones.

    Each answer is written at once; an interrupted recording of a drafter continues after the last answer.
    """
    draft_model.EarlyStop = _Chances  # type: ignore[assignment,misc]
    answers: list[dict[str, Any]] = []
    if set(names) != set(DRAFTERS):
        answers = json.loads((HERE / ANSWERS).read_text(encoding="ascii"))
    for name in names:
        if all(name in answer["drafters"] for answer in answers):
            for answer in answers:
                del answer["drafters"][name]
        record_drafter(name, answers)


def record_drafter(name: str, answers: list[dict[str, Any]]) -> None:
    """Record the proposals of this drafter in the answers that lack them."""
    scheduler = Scheduler()
    load_models(scheduler, STARTER / "main", DRAFTERS[name])
    main, drafter = scheduler.models.main, scheduler.models.drafter
    assert main is not None
    assert drafter is not None
    for number, (kind, language, text) in enumerate(questions()):
        if number < len(answers) and name in answers[number]["drafters"]:
            continue
        prompt = main.prompt_ids([{"role": "user", "content": text}])
        ids, right, chances = recorded(scheduler.models, drafter, prompt)
        if number == len(answers):
            answers.append({"kind": kind, "language": language, "prompt": prompt, "text": ids, "drafters": {}})
        assert answers[number]["text"] == ids, (name, text)
        rows = {"right": "".join(chr(ZERO + n) for n in right), "chances": [packed(row) for row in chances]}
        answers[number]["drafters"][name] = rows
        write(ANSWERS, answers)
        print(name, kind, language, len(ids), sum(right) / max(1, len(right)), flush=True)
    scheduler.close()


def costs_of(main: Any, drafter: Any, repetitions: int) -> dict[str, list[float]]:
    """Return milliseconds by depth, the shortest of all repetitions, because other load only makes rounds longer."""
    rounds, proposer = begin(main, drafter, main.prompt_ids([{"role": "user", "content": TEXT}]))
    while proposer.prepare():
        pass
    passes, drafting = {0: inf}, {0: 0.0}
    for _ in range(repetitions):
        passes[0] = min(passes[0], 1e3 * plain_s(rounds))
        for depth in range(1, min(MAX_DEPTH, proposer.max_proposals()) + 1):
            for again in range(2):
                begun = perf_counter()
                current = rounds.propose(depth, timed=True)
                commit(rounds, current)
                whole, draft_s = perf_counter() - begun, current.draft_s or 0.0
                # The first round of a depth is slower because of the change.
                if again:
                    passes[depth] = min(passes.get(depth, inf), 1e3 * (whole - draft_s))
                    drafting[depth] = min(drafting.get(depth, inf), 1e3 * draft_s)
    rounds.abandon()
    proposer.abandon()
    # If fewer rows took longer than more, that measurement was disturbed.
    for known in (passes, drafting):
        for depth in sorted(known, reverse=True)[1:]:
            known[depth] = min(known[depth], known[depth + 1])
    return {
        name: [round(known[d], 3) for d in sorted(known)] for name, known in (("pass", passes), ("draft", drafting))
    }


def plain_s(rounds: ProposedRounds) -> float:
    """Return the seconds of a plain round among others, as the median of the faster half."""
    current, finished = rounds.propose(0), []
    for number in range(PLAIN_ROUNDS):
        following = rounds.start_next(current) if number + 1 < PLAIN_ROUNDS else None
        result = rounds.wait(current)
        rounds.keep(current, 0, result.tokens, following)
        finished.append(result.finished_at)
        if following is not None:
            current = following
    # The first round includes the start, and no round follows the last one.
    gaps = sorted(later - earlier for earlier, later in pairwise(finished[1:-1]))
    return median(gaps[: (len(gaps) + 1) // 2])


def reading_share(main: Any, drafter: Any) -> float:
    """Return by which share a head's round is longer if its tokens are waited for before the pass is launched."""
    rounds, proposer = begin(main, drafter, main.prompt_ids([{"role": "user", "content": TEXT}]))
    while proposer.prepare():
        pass
    depth = min(MAX_DEPTH, proposer.max_proposals())
    shares = []
    for _ in range(READINGS):
        seconds = []
        for timed in (False, True):
            begun = perf_counter()
            commit(rounds, rounds.propose(depth, timed=timed))
            seconds.append(perf_counter() - begun)
        shares.append(1.0 - seconds[0] / seconds[1])
    rounds.abandon()
    proposer.abandon()
    return median(shares)


def record_reading(names: Sequence[str]) -> None:
    costs: dict[str, dict[str, Any]] = json.loads((HERE / COSTS).read_text(encoding="ascii"))
    for name in names:
        scheduler = Scheduler()
        load_models(scheduler, STARTER / "main", DRAFTERS[name])
        costs[name]["reading"] = round(reading_share(scheduler.models.main, scheduler.models.drafter), 3)
        write(COSTS, costs)
        print(name, costs[name]["reading"], flush=True)
        scheduler.close()


def record_costs(names: Sequence[str]) -> None:
    costs: dict[str, dict[str, list[float]]] = json.loads((HERE / COSTS).read_text(encoding="ascii"))
    for name in (name for name in names if name in DRAFTERS):
        scheduler = Scheduler()
        load_models(scheduler, STARTER / "main", DRAFTERS[name])
        costs[name] |= costs_of(scheduler.models.main, scheduler.models.drafter, REPETITIONS)
        write(COSTS, costs)
        print(name, costs[name], flush=True)
        scheduler.close()
    scheduler = Scheduler()
    load_models(scheduler, STARTER / "main", None)
    tokenizer = scheduler.models.main.tokenizer  # type: ignore[union-attr]
    script = random_script()
    for size in (name for name in names if name in SIZES):
        begun = perf_counter()
        main = synthetic_main(size, script, tokenizer)
        draft = synthetic_draft(size, script, 0.9, tokenizer)
        costs[size] = costs_of(main, run_to_completion(prepare_draft(main, draft)), OF_SIZES)
        write(COSTS, costs)
        print(size, costs[size], round(perf_counter() - begun), flush=True)


def write(name: str, content: Any) -> None:
    (HERE / name).write_text(json.dumps(content, ensure_ascii=True, separators=(",", ":")).replace("},{", "},\n{"))


if __name__ == "__main__":
    what, names = sys.argv[1], sys.argv[2:]
    if what == "answers":
        record_answers(names or list(DRAFTERS))
    elif what == "reading":
        record_reading(names or list(DRAFTERS)[1:])
    else:
        record_costs(names or [*DRAFTERS, *SIZES])
