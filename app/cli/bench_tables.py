"""The report of `tandem bench` as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.cli.tables import format_bytes, print_table

_KINDS_IN_A_LINE = 5


def print_report(report: dict[str, Any]) -> None:
    """Print what was measured, whatever it was."""
    machine = report["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    print(f"{report['models']['main']} with {report['models']['draft'] or 'no draft'}")
    print(f"{machine['system']}, {machine['cores']} cores, {machine['device']}, BLAS {machine['blas']}, {versions}\n")
    if "concurrent" in report:
        _print_concurrency(report["concurrent"])
    elif "memory" in report:
        _print_memory(report)
    elif "prefill" in report:
        _print_prefill(report["prefill"])
    else:
        _print_arms(report["arms"])
        _print_beside_best(report.get("beside_best", {}))


def _print_concurrency(concurrent: dict[str, Any]) -> None:
    speeds = {"tokens/s": "", "plain": "plain_", "batch": "batch_", "mlx-lm": "mlx_lm_"}
    head = ("answers at once", *speeds, "by source")
    rows = [
        (
            count,
            *(f"{figures[f'{prefix}tokens_per_s']:.1f}" for prefix in speeds.values()),
            ", ".join(f"{source} {_percent(share)}" for source, share in figures["sources"].items()),
        )
        for count, figures in concurrent.items()
    ]
    print_table(head, rows, figures=head[1:])
    print()
    ratios = {"of mlx-lm": "ratio", "plain of mlx-lm": "plain_ratio", "of plain": "gain", "of batch": "batch_ratio"}
    head = ("answers at once", *ratios)
    rows = [
        (count, *(f"{_ratio(figures[name])} {_spread(figures['spread'][name])}" for name in ratios.values()))
        for count, figures in concurrent.items()
    ]
    print_table(head, rows, figures=head[1:])
    print("\nIn brackets: the middle half of the repetitions.")


def _spread(quartiles: Sequence[float]) -> str:
    lower, upper = quartiles
    return f"({lower:.2f} to {upper:.2f})"


def _print_memory(report: dict[str, Any]) -> None:
    head = ("answers", "peak", "after the first", "after the last", "kept caches", "free buffers")
    keys = ("peak", "first", "last", "kept", "buffers")
    rows = [(name, *(format_bytes(figures[key]) for key in keys)) for name, figures in report["memory"].items()]
    print_table(head, rows, figures=head[1:])
    print()
    head = ("at the peak", "weights", "drafter", "caches", "graph", "kept caches")
    keys = ("weights", "drafter", "caches", "graph", "kept")
    rows = [(name, *(format_bytes(parts[key]) for key in keys)) for name, parts in report["at_peak"].items()]
    print_table(head, rows, figures=head[1:])
    print()
    print_table(("part", "size"), [(name, format_bytes(size)) for name, size in report["parts"].items()], ("size",))


def _print_prefill(lengths: dict[str, Any]) -> None:
    head = ("prompt", "tokens/s", "mlx-lm", "ratio", "peak", "mlx-lm's peak", "first token", "reopened", "of reading")
    rows = []
    for length, ways in lengths.items():
        ours, theirs, reopened = ways["ours"], ways["mlx-lm"], ways["reopened"]
        rows.append(
            (
                f"{length} tokens",
                f"{ours['tps']:.0f}",
                f"{theirs['tps']:.0f}",
                _ratio(ours["tps"] / theirs["tps"]),
                format_bytes(round(ours["peak"])),
                format_bytes(round(theirs["peak"])),
                f"{ours['seconds']:.2f} s",
                f"{reopened['seconds']:.3f} s",
                f"{reopened['seconds'] / ours['seconds']:.3f}",
            )
        )
    print_table(head, rows, figures=head[1:])
    print()
    _print_waits(lengths)


def _print_waits(lengths: dict[str, Any]) -> None:
    head = ("prompt", "longest wait", "over 250 ms", "mlx-lm's longest wait")
    rows = [
        (
            f"{length} tokens",
            f"{1000 * ways['ours']['longest_wait']:.0f} ms",
            f"{ways['ours']['long_waits']} of {ways['ours']['waits']}",
            f"{1000 * ways['mlx-lm']['longest_wait']:.0f} ms",
        )
        for length, ways in lengths.items()
    ]
    print_table(head, rows, figures=head[1:])
    print("\nA wait: how long a cancelled prompt goes on, and until all else has its turn.")


def _print_arms(arms: dict[str, Any]) -> None:
    head = ("arm", "tokens/s", "speed-up", "slowest", "answer", "TTFT", "accepted", "host")
    rows = [
        (
            name,
            f"{figures['decode_tps']:.1f}",
            _ratio(figures["speedup"]),
            _ratio(figures["slowest_speedup"]),
            _ratio(figures["answer_speedup"]),
            _ratio(figures["ttft_ratio"]),
            _percent(figures["accept_rate"]),
            _percent(figures["host_share"]),
        )
        for name, figures in arms.items()
    ]
    print_table(head, rows, figures=head[1:])
    kinds = list(dict.fromkeys(kind for figures in arms.values() for kind in figures["by_kind"]))
    # A line holds so many, beside the arm's name.
    for start in range(0, len(kinds), _KINDS_IN_A_LINE):
        part = kinds[start : start + _KINDS_IN_A_LINE]
        print()
        by_kind = [
            (name, *(_ratio(figures["by_kind"].get(kind, {}).get("speedup")) for kind in part))
            for name, figures in arms.items()
        ]
        print_table(("speed-up by kind", *part), by_kind, figures=part)
    _print_sources(arms)


def _print_beside_best(beside: dict[str, Any]) -> None:
    """Auto as a share of the best arm that it chooses from, by kind of prompt."""
    shares = {"these prompts (95 %)": "here", "others like them (95 %)": "elsewhere"}
    for auto, kinds in beside.items():
        if not kinds:
            continue
        rows = [
            (kind, *(interval(found[key]) for key in shares.values()), best_arm(found)) for kind, found in kinds.items()
        ]
        print(f"\n{auto}, of the best arm of each kind:")
        print_table(("kind", *shares, "best arm"), rows, figures=tuple(shares))


def interval(share: dict[str, Any] | None) -> str:
    """A share of the best arm with its 95 % interval."""
    return "-" if share is None else f"{_ratio(share['ratio'])} {_spread(share['interval'])}"


def best_arm(found: dict[str, Any]) -> str:
    """The name of the best arm, with the share of the halves that chose it where some chose another."""
    return found["best"] if found["chosen"] == 1.0 else f"{found['best']} ({_percent(found['chosen'])})"


def _print_sources(arms: dict[str, Any]) -> None:
    """The share of each source in the tokens of every arm; "main" is what the main model wrote itself."""
    sources = list(dict.fromkeys(source for figures in arms.values() for source in figures["sources"]))
    if sources:
        print()
        rows = [
            (name, *(_percent(figures["sources"].get(source)) for source in sources))
            for name, figures in arms.items()
            if figures["sources"]
        ]
        print_table(("tokens by source", *sources), rows, figures=sources)


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}x"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
