"""The report of `tandem bench` as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.cli.tables import print_table

# Columns beside the name of a way of drafting.
_KINDS_IN_A_LINE = 5


def print_report(report: dict[str, Any]) -> None:
    """Print the figures of arms or of concurrent answers."""
    machine = report["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    print(f"{report['models']['main']} with {report['models']['draft'] or 'no draft'}")
    print(f"{machine['system']}, {machine['cores']} cores, {machine['device']}, BLAS {machine['blas']}, {versions}\n")
    if "concurrent" in report:
        _print_concurrency(report["concurrent"])
    else:
        _print_arms(report["arms"])
        _print_beside_best(report.get("beside_best", {}))


def _print_concurrency(concurrent: dict[str, Any]) -> None:
    speeds = {"tokens/s": "", "plain": "plain_", "mlx-lm": "mlx_lm_"}
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
    ratios = {"of mlx-lm": "ratio", "plain of mlx-lm": "plain_ratio", "of plain": "gain"}
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


def _print_arms(arms: dict[str, Any]) -> None:
    head = ("way", "tokens/s", "speed-up", "slowest", "answer", "first token", "accepted", "overhead")
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
    """Print auto's share of the best arm that it chooses from, by kind of prompt."""
    shares = {"these prompts (95%)": "here", "others like them (95%)": "elsewhere"}
    for auto, kinds in beside.items():
        if not kinds:
            continue
        rows = [
            (kind, *(interval(found[key]) for key in shares.values()), best_arm(found)) for kind, found in kinds.items()
        ]
        print(f"\n{auto}, compared with the best way for each kind:")
        print_table(("kind", *shares, "best way"), rows, figures=tuple(shares))


def interval(share: dict[str, Any] | None) -> str:
    """Format a share of the best arm with its 95 % interval."""
    return "-" if share is None else f"{_ratio(share['ratio'])} {_spread(share['interval'])}"


def best_arm(found: dict[str, Any]) -> str:
    """Return the name of the best arm, with the share of halves that chose it unless all did."""
    return found["best"] if found["chosen"] == 1.0 else f"{found['best']} ({_percent(found['chosen'])})"


def _print_sources(arms: dict[str, Any]) -> None:
    """Print each source's share of the tokens of every arm; "main" are the main model's own."""
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
