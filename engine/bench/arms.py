"""The arms of a benchmark: our engine with different settings, and mlx-lm's and mlx-dspark's own generation."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pydoc_data.topics import topics
from typing import Any

from mlx_lm import stream_generate

from engine.bench.prompts import BenchPrompt
from engine.client import RequestStream
from engine.errors import BadRequest
from engine.events import Event, Failed, Finished, TokensCommitted
from engine.main_model.loaded_model import LoadedModel
from engine.methods import DRAFTER_METHOD, PROPOSERS, methods
from engine.requests import MAX_DEPTH, ChatRequest, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.choosing.controller import Controller
from engine.speculation.drafters.sources import Drafter, HeadSource
from engine.stats import RequestStats

# The depths of mlx-lm's own speculative loop.
FIXED_DEPTHS = (2, 4, 6, 8)
# Seconds between two questions whether a draft runner has its model.
_RUNNER_POLL_S = 0.2
# What mlx-dspark 0.20 loads a kind of head with, and drafts with.
_DSPARK = {"dflash": ("load_dflash", "dflash_generate"), "dspark": ("load_drafter", "speculative_generate")}


@dataclass(frozen=True)
class ArmMeasurement:
    """The figures of one answer.

    `decode_tps` is the speed after the first round, `total_s` the time from the request to the last token. Decode
    speeds are not quite comparable: the draft model's prefill comes after the first token here, and before it in
    mlx-lm. `total_s` contains it on both sides. `sources` counts the tokens by source, "main" for the main model. For
    other programs `stats` is None and `sources` is empty, and mlx-lm does not count rounds. `ttft_s` is the time to the
    first token; mlx-dspark reports the first text in its place, which is later if that token is no whole character.
    """

    tokens: int
    decode_tps: float
    ttft_s: float
    total_s: float
    stats: RequestStats | None = None
    sources: Mapping[str, int] = field(default_factory=dict)
    tokens_per_round: float | None = None

    @property
    def host_share(self) -> float | None:
        """The share of decoding in which the device waits for the host; None for mlx-lm."""
        if self.stats is None:
            return None
        busy = self.stats.draft_s + self.stats.verify_s + self.stats.host_s
        return self.stats.host_s / busy if busy else None


@dataclass(frozen=True)
class Arm:
    """A way of decoding: `answer(prompt, max_tokens)` runs and measures one answer.

    `renew` resets and calibrates the controller of an arm that learns.
    """

    name: str
    answer: Callable[[BenchPrompt, int], ArmMeasurement]
    renew: Callable[[], None] | None = None


def our_arms(scheduler: Scheduler, *, has_draft: bool, temperature: float = 0.0) -> list[Arm]:
    """Return plain decoding first, then every method and fixed depth that the loaded pair allows.

    Above temperature 0 there is also rejection acceptance, which greedy decoding does not use.
    """
    settings = {"plain": SpeculationSettings(method="off")}
    for method in methods():
        if method not in (DRAFTER_METHOD, "auto", "off"):
            settings |= _depths_of(method, method, MAX_DEPTH, method)
    settings["auto"] = SpeculationSettings(method="auto")
    drafter = scheduler.models.drafter
    if has_draft and drafter is not None:
        depths = _depths_of(DRAFTER_METHOD, drafter.source, drafter.max_proposals, drafter.source)
        settings |= depths
        if temperature > 0.0:
            fixed = [setting for setting in depths.values() if setting.depth is not None]
            settings |= {
                f"rejection, depth {setting.depth}": replace(setting, acceptance="rejection") for setting in fixed
            }
    sampling = SamplingSettings(temperature=temperature, seed=1)
    return [_arm(scheduler, name, speculation, sampling) for name, speculation in settings.items()]


def arms_of_drafter(scheduler: Scheduler, name: str, temperature: float = 0.0) -> list[Arm]:
    """Return the arms of the drafter `name` of `scheduler`: alone, together with all methods, and at fixed depths."""
    drafter = scheduler.models.drafter
    settings = _depths_of(DRAFTER_METHOD, drafter.source, drafter.max_proposals, name) if drafter is not None else {}
    settings[f"auto with {name}"] = SpeculationSettings()
    sampling = SamplingSettings(temperature=temperature, seed=1)
    return [_arm(scheduler, arm, speculation, sampling) for arm, speculation in settings.items()]


def wait_for_runner(scheduler: Scheduler) -> None:
    """Answer shortly until the draft runner of `scheduler` has its model. Raises `BadRequest` if it has none."""
    speculation = SpeculationSettings(method=DRAFTER_METHOD, depth=2)
    request = ChatRequest([{"role": "user", "content": "Hello"}], speculation=speculation, max_tokens=4)
    while (state := run_to_end(scheduler, request).stats.ahead) == "starting":
        time.sleep(_RUNNER_POLL_S)
    if state != "ready":
        raise BadRequest("draft-ahead", "a draft model that can draft ahead here", state)


def _arm(scheduler: Scheduler, name: str, speculation: SpeculationSettings, sampling: SamplingSettings) -> Arm:
    ours = _Ours(scheduler, speculation, sampling)
    learns = speculation.method != "off" and speculation.depth is None
    return Arm(name, ours.answer, ours.renew if learns else None)


def _depths_of(method: str, source: str, most: int, name: str) -> dict[str, SpeculationSettings]:
    """Return one method alone by arm name: with a chosen depth, and with fixed depths up to `most`."""
    # No plain samples: a fixed depth is the depth of every round.
    fixed = SpeculationSettings(method=method, sample_share=0.0)
    depths = [depth for depth in PROPOSERS[source].bench_depths if depth <= most]
    by_depth = {f"{name}, depth {depth}": replace(fixed, depth=depth) for depth in depths}
    return {name: SpeculationSettings(method=method)} | by_depth


def mlx_lm_arms(main: LoadedModel, draft: LoadedModel | None) -> list[Arm]:
    """Return arms of mlx-lm's stream_generate on the same models: plain, and with the draft model at fixed depths."""
    arms = [Arm("mlx-lm plain", _mlx_lm(main, None, 0))]
    if draft is not None:
        arms += [Arm(f"mlx-lm draft, depth {depth}", _mlx_lm(main, draft, depth)) for depth in FIXED_DEPTHS]
    return arms


def mlx_dspark_arms(main: LoadedModel, drafter: Drafter | None) -> list[Arm]:
    """Return arms of mlx-dspark: plain, with look-ups, with the same head. Raises `BadRequest` if not installed."""
    try:
        dspark: Any = import_module("mlx_dspark")
    except ImportError as error:
        raise BadRequest("against", "a package that is installed", "mlx-dspark") from error
    target = dspark.Target(main.model, main.tokenizer)
    loops = {"plain": dspark.greedy_generate, "look-ups": dspark.lookup_generate}
    if isinstance(drafter, HeadSource) and (names := _DSPARK.get(drafter.head.kind.removesuffix("2"))):
        load, loop = (getattr(dspark, name) for name in names)
        head, _ = load(str(drafter.info.path))
        loops["head"] = lambda target, tokenizer, **options: loop(
            target, tokenizer, head, lookup_drafts=True, **options
        )
    return [Arm(f"mlx-dspark {name}", _mlx_dspark(main, target, loop)) for name, loop in loops.items()]


class _Ours:
    """Answers of our engine with one setting, and the controller that they teach."""

    def __init__(self, scheduler: Scheduler, speculation: SpeculationSettings, sampling: SamplingSettings) -> None:
        self._scheduler = scheduler
        self._speculation = speculation
        self._sampling = sampling
        # Each arm learns alone, because measurements of other arms on the same prompts would help auto.
        self._own = None if speculation.method == "auto" else Controller()

    def renew(self) -> None:
        """Start with a new controller, and calibrate it."""
        new = Controller()
        if self._own is None:
            self._scheduler.models.drafting.controllers.use(new)
        else:
            self._own = new
        with self._deciding():
            self._scheduler.upkeep.calibrate()

    def answer(self, prompt: BenchPrompt, max_tokens: int) -> ArmMeasurement:
        """Run the prompt once and measure it."""
        if not prompt.cached:
            self._scheduler.clear_prefix_cache()
        messages = [{"role": "user", "content": prompt.text}]
        request = ChatRequest(messages, self._sampling, self._speculation, max_tokens, grammar=prompt.grammar)
        started = time.perf_counter()
        sources = Counter[str]()
        with self._deciding():
            stats = run_to_end(self._scheduler, request, sources).stats
        total = time.perf_counter() - started
        speed = stats.decode_tps or 0.0
        ttft_s = stats.ttft_s or 0.0
        rounds = stats.tokens_per_round
        return ArmMeasurement(stats.generated_tokens, speed, ttft_s, total, stats, sources, rounds)

    @contextmanager
    def _deciding(self) -> Iterator[None]:
        drafting = self._scheduler.models.drafting
        of_pair = drafting.controller
        drafting.controllers.use(self._own or of_pair)
        try:
            yield
        finally:
            drafting.controllers.use(of_pair)


def run_to_end(scheduler: Scheduler, request: ChatRequest, sources: Counter[str] | None = None) -> Finished:
    """Run one request like `run_all`."""
    return run_all(scheduler, [request], sources)[0]


def run_all(
    scheduler: Scheduler, requests: Sequence[ChatRequest], sources: Counter[str] | None = None
) -> list[Finished]:
    """Run requests concurrently to their end on this thread, and count their tokens by source.

    Raises the first `EngineError` that a request failed with.
    """
    events: list[Event] = []
    for request in requests:
        scheduler.admit(RequestStream(request, on_event=events.append))
    while scheduler.step():
        pass
    if sources is not None:
        committed = (event for event in events if isinstance(event, TokensCommitted))
        sources.update(token.source for event in committed for token in event.tokens)
    for event in events:
        if isinstance(event, Failed):
            raise event.error
    return [event for event in events if isinstance(event, Finished)]


def _mlx_lm(main: LoadedModel, draft: LoadedModel | None, depth: int) -> Callable[[BenchPrompt, int], ArmMeasurement]:
    def answer(question: BenchPrompt, max_tokens: int) -> ArmMeasurement:
        prompt = main.prompt_ids([{"role": "user", "content": question.text}])
        options = {"draft_model": draft.model, "num_draft_tokens": depth} if draft is not None else {}
        started = time.perf_counter()
        first = now = first_round_at = started
        tokens = of_first_round = 0
        for response in stream_generate(main.model, main.tokenizer, prompt, max_tokens=max_tokens, **options):
            now = time.perf_counter()
            tokens += 1
            if tokens == 1:
                first = now
            if of_first_round == 0 and not response.from_draft:
                # A round yields its tokens one by one, the bonus token last.
                of_first_round = tokens
                first_round_at = now
        timed = of_first_round > 0 and now > first_round_at
        decode_tps = (tokens - of_first_round) / (now - first_round_at) if timed else 0.0
        return ArmMeasurement(tokens, decode_tps, first - started, now - started)

    return answer


def _mlx_dspark(main: LoadedModel, target: Any, loop: Any) -> Callable[[BenchPrompt, int], ArmMeasurement]:
    """Return what measures an answer of one of mlx-dspark's loops.

    Its loops that draft take the first token from the pass over the prompt, before their first round. Its own tokens a
    second include the prompt in some loops, and its own tokens a round leave that pass out, so both are counted here.
    """

    def answer(question: BenchPrompt, max_tokens: int) -> ArmMeasurement:
        prompt = main.prompt_ids([{"role": "user", "content": question.text}])
        # When text arrived, and when each round ended with how many committed tokens.
        texts: list[float] = []
        rounds: list[tuple[float, int]] = []
        started = time.perf_counter()
        done = loop(
            target,
            main.tokenizer,
            prompt_ids=prompt,
            max_new_tokens=max_tokens,
            on_text=lambda _text: texts.append(time.perf_counter()),
            on_round=lambda committed, **_rest: rounds.append((time.perf_counter(), committed)),
        )
        ended = time.perf_counter()
        first_token_at = min([*texts[:1], *(at for at, _ in rounds[:1]), ended])
        seconds = rounds[-1][0] - rounds[0][0] if rounds else 0.0
        speed = sum(count for _, count in rounds[1:]) / seconds if seconds > 0.0 else 0.0
        rate = done.num_tokens / done.target_forwards
        return ArmMeasurement(done.num_tokens, speed, first_token_at - started, ended - started, tokens_per_round=rate)

    return answer


def at_contexts(main: LoadedModel, contexts: Sequence[int]) -> tuple[BenchPrompt, ...]:
    """Return a question alone, and behind Python's documentation, with which its prompt has about this many tokens."""
    documentation = "\n".join(topics.values())
    prompts = []
    for count in (0, *contexts):
        # A token has fewer characters than eight.
        ids = main.tokenizer.encode(documentation[: 8 * count])[:count]
        text = f"{main.tokenizer.decode(ids)}\n\nExplain in some sentences what a class is, and give an example."
        prompts.append(BenchPrompt(f"{len(ids)} tokens", "en", text.lstrip(), cached=True))
    return tuple(prompts)
