"""`tandem bench`: the speed-up of speculation on this computer, as ratios of arms timed alternately in one run."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.bench_report import print_report
from app.cli.command import DONE, INTERRUPTED, add_command
from app.cli.pair_options import (
    add_ahead_options,
    add_pair_options,
    checked,
    chosen_pair,
    installed_path,
    model_folder,
    with_drafting_ahead,
)
from app.cli.terminal import say, terminal_of
from app.system.versions import installed_version
from engine import EngineError, SamplingSettings, starter_pair
from engine.errors import BadRequest, require
from engine.methods import methods
from engine.requests import MAX_TEMPERATURE
from engine.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.bench.arms import Arm
    from engine.bench.prompts import BenchPrompt
    from engine.main_model.loaded_model import LoadedModel
    from engine.serving.scheduler import Scheduler
    from engine.status import ModelInfo

_SYNTHETIC_PROMPT = "Go on."


def add_parser(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "bench",
        "measure the speed-up of speculation on this computer",
        (
            "tandem bench --repetitions 1",
            "tandem bench --main mlx-community/Qwen3-8B-4bit --draft mlx-community/Qwen3-0.6B-4bit",
            "tandem bench --against mlx-lm --json",
            "tandem bench --context 2k,8k,32k --repetitions 1",
        ),
        "Measure every way of drafting on this computer beside plain decoding: all answer the same prompts, in turn.",
    )
    models = parser.add_argument_group("models")
    add_pair_options(models)
    questions = parser.add_argument_group("questions").add_argument
    questions("--prompts", type=Path, metavar="FILE", help='one JSON object per line, each with a "text"')
    questions("--repetitions", type=int, default=3, metavar="N", help="answers to each prompt (3)")
    questions("--max-tokens", type=int, default=128, metavar="N", help="answer length (128)")
    questions("--context", metavar="TOKENS", help="a question behind so many tokens of text, such as 2k,8k, read once")
    ways_of_drafting = parser.add_argument_group("ways of drafting")
    ways = ways_of_drafting.add_argument
    ways("--against", choices=("mlx-lm", "mlx-dspark"), help="also measure another program, which must be installed")
    add_ahead_options(ways_of_drafting, "also measure {}")
    ways("--concurrent", metavar="COUNTS", help="answers at once, such as 4,8, compared with mlx-lm")
    output = parser.add_argument_group("output").add_argument
    output("--json", action="store_true", help="print one JSON object instead of a table")
    rare = parser.add_argument_group("rarely used").add_argument
    also_help = "measure this draft model or head, too; repeatable"
    rare("--also", action="append", default=[], metavar="MODEL", help=also_help)
    rare("--synthetic", metavar="SIZE", help="use random weights of this size: 20M to 2B")
    accept_help = "acceptance rate of the synthetic draft model, 0 to 1 (0.8)"
    rare("--accept", type=float, default=0.8, metavar="A", help=accept_help)
    temperature_help = f"0 to {MAX_TEMPERATURE:g}, for Tandem, whatever a model recommends; mlx-lm always uses 0 (0)"
    rare("--temperature", type=float, default=0.0, metavar="T", help=temperature_help)
    method_help = "with --concurrent: what proposes draft tokens (auto)"
    rare("--method", choices=methods(), default="auto", help=method_help)
    rare("--ways", metavar="NAMES", help="measure only these, separated by ';'; plain always runs")


def run(arguments: argparse.Namespace) -> int:
    try:
        _check(arguments)
        report = _measure(arguments)
        report |= {
            # People share it, so it does not contain the home folder.
            "command": shlex.join(["tandem", *sys.argv[1:]]).replace(str(Path.home()), "~"),
            "tandem": installed_version("tandem-chat") or None,
            "measured": str(date.today()),
        }
    except EngineError:
        _progress("")
        raise
    if report["interrupted"]:
        words = "these figures cover what was measured so far" if _measured(report) else "nothing was measured yet"
        # The terminal has printed ^C on the line of the progress.
        say(f"\ntandem: interrupted; {words}.")
    else:
        _progress("")
    if arguments.json:
        print(json.dumps(report, ensure_ascii=False))
    elif _measured(report):
        print_report(report)
    return INTERRUPTED if report["interrupted"] else DONE


def _measured(report: dict[str, Any]) -> bool:
    return bool(report.get("arms") or report.get("concurrent"))


def _check(arguments: argparse.Namespace) -> None:
    """Raise `BadRequest` for options that cannot be used, before a model is loaded."""
    for name in ("repetitions", "max_tokens"):
        value = getattr(arguments, name)
        require(value >= 1, name.replace("_", "-"), "1 or more", value)
    require(0.0 <= arguments.accept <= 1.0, "accept", "between 0 and 1", arguments.accept)
    SamplingSettings(temperature=arguments.temperature)
    if arguments.draft_ahead != "off":
        # The runner reads the draft model from its folder.
        require(not arguments.synthetic, "draft-ahead", "without synthetic models", arguments.draft_ahead)


@dataclass(frozen=True)
class _BenchedModels:
    """The subject of a measurement: a main model with its drafter in a scheduler, and the prompts."""

    scheduler: Scheduler
    main: LoadedModel
    drafter: ModelInfo | None
    prompts: Sequence[BenchPrompt]

    @property
    def names(self) -> dict[str, str | None]:
        """The names of the models, as a report has them."""
        return {"main": self.main.info.name, "draft": self.drafter.name if self.drafter is not None else None}


def _measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Make the measurements that the options ask for, and return the report. Raises `EngineError`."""
    _progress("loading the models")
    pair = chosen_pair(arguments)
    others = list(map(installed_path, arguments.also))
    contexts = _numbers(arguments.context.replace("k", "000"), "context", 10**6) if arguments.context else []
    # Models that do not fit are measured, too.
    settings = EngineSettings(allow_oversize=True)
    if contexts:
        require(not arguments.prompts and not arguments.synthetic, "context", "without prompts and synthetic", "both")
        settings = replace(settings, prefix_cache_bytes=2**62)
    # Not at the top: they import MLX, and `tandem --help` should not wait for it.
    from engine.cpu_backend.backend import choose_device

    choose_device()
    from engine.serving.scheduler import Scheduler

    scheduler = Scheduler(settings)
    most = scheduler.settings.most_active
    counts = _numbers(arguments.concurrent, "concurrent", most) if arguments.concurrent else []
    benched = _load_models(arguments, scheduler, pair, contexts)
    if counts:
        return {"models": benched.names, **_measure_concurrency(arguments, benched, counts)}
    return _measure_arms(arguments, benched, settings, others, with_contexts=bool(contexts))


def _load_models(
    arguments: argparse.Namespace, scheduler: Scheduler, pair: tuple[str, str | None], contexts: Sequence[int]
) -> _BenchedModels:
    """Read the prompts and load the models. Raises `EngineError`, also for prompts that mlx-lm cannot answer."""
    from engine.bench import arms, prompts
    from engine.main_model.loading import load

    chosen_prompts = prompts.read_prompts(arguments.prompts) if arguments.prompts else prompts.BUILT_IN
    # mlx-lm's answers follow no schema.
    has_mlx_lm = bool(arguments.against or arguments.concurrent)
    follows_schemas = any(prompt.grammar for prompt in chosen_prompts)
    is_answerable = not (has_mlx_lm and follows_schemas)
    require(is_answerable, "prompts", "without schemas where mlx-lm answers, too", str(arguments.prompts))
    if arguments.synthetic:
        main, draft = _synthetic_pair(arguments)
        drafter = install(scheduler, main, draft)
        synthetic_prompt = prompts.BenchPrompt("synthetic", "en", _SYNTHETIC_PROMPT)
        return _BenchedModels(scheduler, main, drafter, (synthetic_prompt,))
    main = load(model_folder(pair[0]))
    drafter = install(scheduler, main, pair[1])
    return _BenchedModels(scheduler, main, drafter, arms.at_contexts(main, contexts) if contexts else chosen_prompts)


def _measure_arms(
    arguments: argparse.Namespace,
    benched: _BenchedModels,
    settings: EngineSettings,
    others: Sequence[str],
    *,
    with_contexts: bool,
) -> dict[str, Any]:
    """Measure every way of drafting in turn, also with the drafters in the folders `others`. Raises `EngineError`."""
    from engine.bench import arms, runner
    from engine.serving.scheduler import Scheduler
    from engine.speculation.drafters.sources import DraftSource

    has_draft = benched.drafter is not None
    chosen = arms.our_arms(benched.scheduler, has_draft=has_draft, temperature=arguments.temperature)
    source = benched.scheduler.models.drafter
    if arguments.against == "mlx-dspark":
        chosen += arms.mlx_dspark_arms(benched.main, source)
    elif arguments.against:
        chosen += arms.mlx_lm_arms(benched.main, source.model if isinstance(source, DraftSource) else None)
    schedulers = [benched.scheduler]
    for path in others:
        other = Scheduler(settings)
        schedulers.append(other)
        drafter = install(other, benched.main, path)
        chosen += arms.arms_of_drafter(other, drafter.name if drafter is not None else path, arguments.temperature)
    if arguments.draft_ahead != "off" and isinstance(source, DraftSource):
        ahead = Scheduler(with_drafting_ahead(settings, arguments))
        schedulers.append(ahead)
        install(ahead, benched.main, str(source.info.path))
        _progress("starting the draft runner")
        arms.wait_for_runner(ahead)
        chosen += arms.arms_of_drafter(ahead, "draft ahead", arguments.temperature)
    outcome = runner.run(
        _selected(chosen, arguments.ways),
        benched.prompts,
        repetitions=arguments.repetitions,
        max_tokens=arguments.max_tokens,
        progress=_progress,
    )
    summary = runner.summarise(outcome.samples)
    for scheduler in schedulers:
        scheduler.close()
    shares = runner.context_shares(summary["arms"]) if with_contexts and summary["arms"] else {}
    return {"models": benched.names, "interrupted": outcome.interrupted, **summary, "context_shares": shares}


def _numbers(text: str, option: str, most: int) -> list[int]:
    """Parse a list such as 2,4,8. Raises `BadRequest`."""
    try:
        numbers = [int(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    require(bool(numbers) and all(1 <= n <= most for n in numbers), option, f"numbers up to {most}", text)
    return numbers


def _measure_concurrency(
    arguments: argparse.Namespace, benched: _BenchedModels, counts: Sequence[int]
) -> dict[str, Any]:
    """Measure `counts` answers at once, and close the scheduler."""
    from engine.bench import concurrency

    # The window does this while it is idle.
    _progress("calibrating")
    benched.scheduler.upkeep.calibrate()
    report = concurrency.measure(
        benched.scheduler,
        benched.main,
        counts,
        benched.prompts,
        repetitions=arguments.repetitions,
        max_tokens=arguments.max_tokens,
        method=arguments.method,
        progress=_progress,
    )
    benched.scheduler.close()
    return report


def install(scheduler: Scheduler, main: LoadedModel, draft: LoadedModel | str | None) -> ModelInfo | None:
    """Use a main model, and a draft model or the folder of one or of a head; return the drafter in use.

    Raises the `EngineError` if the drafter cannot be used.
    """
    from engine.files.steps import run_to_completion

    pair = scheduler.changes.install(main, None if isinstance(draft, str) else draft)
    if isinstance(draft, str):
        pair = run_to_completion(scheduler.changes.set_draft(draft))
    return checked(pair).draft


def _synthetic_pair(arguments: argparse.Namespace) -> tuple[LoadedModel, LoadedModel | None]:
    """Return a main model that writes random text, and a draft model that agrees with it at the given rate."""
    from engine.bench.synthetic import random_script, synthetic_draft, synthetic_main
    from engine.main_model.loading import load

    tokenizer = load(starter_pair()[0]).tokenizer
    script = random_script()
    main = synthetic_main(arguments.synthetic, script, tokenizer)
    return main, synthetic_draft(arguments.synthetic, script, arguments.accept, tokenizer)


def _selected(arms: list[Arm], names: str | None) -> list[Arm]:
    """Return the arms with the `names`, separated by ";", and the plain one; all for None. Raises `BadRequest`."""
    if names is None:
        return arms
    wanted = {name.strip() for name in names.split(";")} | {"plain"}
    unknown = wanted - {arm.name for arm in arms}
    if unknown:
        raise BadRequest("ways", "among " + "; ".join(arm.name for arm in arms), "; ".join(sorted(unknown)))
    return [arm for arm in arms if arm.name in wanted]


def _progress(text: str) -> None:
    """Show the progress, without rich, whose thread would draw while something is timed."""
    if sys.stderr.isatty():
        # A line that went on in the next one could not be replaced.
        shown = text[: shutil.get_terminal_size().columns - 1]
        print(f"\r\x1b[K{shown}", end="", file=terminal_of(sys.stderr), flush=True)
