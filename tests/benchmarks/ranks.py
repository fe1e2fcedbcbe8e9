"""Measures the speed-up of speculation with several ranks, by the delay of the links between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from app.cli.pair_options import chosen_pair
from app.cli.terminal import print_table
from engine.bench.prompts import BenchPrompt
from engine.client import EngineClient
from engine.cluster.cluster import Cluster
from engine.computers.hosts import parse_machines
from engine.events import Failed, Finished
from engine.methods import DRAFTER_METHOD
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.stats import RequestStats
from tests.benchmarks import options
from tests.benchmarks.slow_links import SlowLinks

_METHODS = {"plain": "off", DRAFTER_METHOD: DRAFTER_METHOD, "auto": "auto"}
ARMS = tuple(_METHODS)


def measure(
    ranks: int,
    delays_ms: Sequence[float],
    pair: tuple[str | Path, str | Path | None],
    prompts: Sequence[BenchPrompt],
    *,
    repetitions: int,
    max_tokens: int,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure figures by delay, each with new ranks, and the speed-up that a model of the cost expects.

    At each delay every arm answers every prompt in turn, after one warm-up. A pass waits for n delays d, for one row as
    for several; plain passes at the largest delay give n. If rounds of `t` tokens take `r` seconds and plain ones `p`,
    the expected speed-up is t (p + n d) / (r + n d).
    """
    found = []
    for delay_ms in delays_ms:
        links = SlowLinks(delay_ms / 1e3)
        machines = parse_machines(",".join(["127.0.0.1"] * ranks))
        try:
            with links.between(), Cluster(machines) as cluster:
                cluster.engine.load(*pair).result()
                found.append(_at_delay(cluster.engine, delay_ms, prompts, repetitions, max_tokens, progress))
        finally:
            links.close()
    _add_expected(found)
    return {"ranks": ranks, "delays": found}


def _at_delay(
    engine: EngineClient,
    delay_ms: float,
    prompts: Sequence[BenchPrompt],
    repetitions: int,
    max_tokens: int,
    progress: Callable[[str], None],
) -> dict[str, Any]:
    arms = ARMS
    measured: dict[str, list[RequestStats]] = {arm: [] for arm in arms}
    for repetition in range(-1, repetitions):
        for index, prompt in enumerate(prompts):
            turn = index % len(arms)
            for arm in (*arms[turn:], *arms[:turn]):
                stats = _answered(engine, prompt, arm, max_tokens)
                if repetition >= 0:
                    measured[arm].append(stats)
            progress(f"{delay_ms} ms, repetition {repetition + 1} of {repetitions}, prompt {index + 1}")
    plain = [stats.decode_tps or 0.0 for stats in measured["plain"]]
    figures: dict[str, Any] = {"delay_ms": delay_ms, "plain_tps": round(median(plain), 2), "arms": {}}
    for arm in arms[1:]:
        own = measured[arm]
        pairs = [((stats.decode_tps or 0.0), base) for stats, base in zip(own, plain, strict=True) if base > 0.0]
        tokens = median(stats.tokens_per_round or 1.0 for stats in own)
        tps = median(speed for speed, _ in pairs)
        figures["arms"][arm] = {
            "decode_tps": round(tps, 2),
            "speedup": round(median(speed / base for speed, base in pairs), 2),
            "tokens_per_round": round(tokens, 2),
            "round_ms": round(1e3 * tokens / tps, 2),
        }
    return figures


def _answered(engine: EngineClient, prompt: BenchPrompt, arm: str, max_tokens: int) -> RequestStats:
    engine.clear_prefix_cache().result()
    request = ChatRequest(
        messages=[{"role": "user", "content": prompt.text}],
        sampling=SamplingSettings(temperature=0.0, seed=1),
        speculation=SpeculationSettings(method=_METHODS[arm]),
        max_tokens=max_tokens,
    )
    *_, last = engine.submit(request)
    if isinstance(last, Failed):
        raise last.error
    assert isinstance(last, Finished)
    return last.stats


def _add_expected(found: list[dict[str, Any]]) -> None:
    """Add `waits_a_pass`, and `expected_speedup` of each arm, from the figures without a delay."""
    direct = next((figures for figures in found if figures["delay_ms"] == 0), None)
    slowest = max(found, key=lambda figures: figures["delay_ms"], default=None)
    if direct is None or slowest is None or slowest is direct:
        return
    plain_ms = 1e3 / direct["plain_tps"]
    waits = (1e3 / slowest["plain_tps"] - plain_ms) / slowest["delay_ms"]
    for figures in found:
        figures["waits_a_pass"] = round(waits, 1)
        waited = waits * figures["delay_ms"]
        for name, arm in figures["arms"].items():
            base = direct["arms"][name]
            # The committed tokens of a round are measured, because the controller drafts more if a pass costs more.
            expected = arm["tokens_per_round"] * (plain_ms + waited) / (base["round_ms"] + waited)
            arm["expected_speedup"] = round(expected, 2)


def print_table_of(report: dict[str, Any]) -> None:
    """Print a line for each delay and arm."""
    rows: list[tuple[str, ...]] = []
    for figures in report["delays"]:
        delay = f"{figures['delay_ms']:g} ms"
        rows.append((delay, "plain", f"{figures['plain_tps']:.1f}", "", "", ""))
        for name, arm in figures["arms"].items():
            expected = f"{arm['expected_speedup']:.2f}" if "expected_speedup" in arm else ""
            found = f"{arm['decode_tps']:.1f}", f"{arm['speedup']:.2f}", expected, f"{arm['tokens_per_round']:.2f}"
            rows.append((delay, name, *found))
    print_table(("delay", "arm", "tokens/s", "speed-up", "expected", "tokens a round"), rows)


def main() -> None:
    """Measure and print."""
    parser = options.parser_of(__doc__)
    options.add_answer_options(parser)
    parser.add_argument("--ranks", type=int, default=2, metavar="N", help="processes of this computer (2)")
    parser.add_argument("--delays", default="0,0.2,1,5", metavar="MS", help="one-way delays of the link (0,0.2,1,5)")
    arguments = parser.parse_args()
    report = measure(
        arguments.ranks,
        options.numbers(arguments.delays),
        chosen_pair(arguments),
        [prompt for prompt in options.prompts_of(arguments) if arguments.prompts or prompt.language == "en"],
        repetitions=arguments.repetitions,
        max_tokens=arguments.max_tokens,
        progress=options.progress,
    )
    options.show(arguments, report, print_table_of)


if __name__ == "__main__":
    main()
