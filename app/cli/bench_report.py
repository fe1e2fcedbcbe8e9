"""Prints the report of `tandem bench` as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.cli.terminal import print_table

# Columns after the name of a way of drafting.
_KINDS_IN_A_LINE = 5


def print_report(report: dict[str, Any]) -> None:
    """Print the machine, and the figures of arms, which are ways of drafting, or of concurrent answers."""
    machine = report["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    print(f"{report['models']['main']} with {report['models']['draft'] or 'no draft'}")
    print(f"{machine['system']}, {machine['cores']} cores, {machine['device']}, BLAS {machine['blas']}, {versions}")
    if "concurrent" in report:
        _print_concurrency(report["concurrent"])
    else:
        _print_arms(report["arms"])
        _print_kinds(report["arms"])
        _print_sources(report["arms"])
    if report.get("context_shares"):
        shares = ", ".join(f"{context} {_percent(share)}" for context, share in report["context_shares"].items())
        print(f"\nshare of a plain step due to the context (mostly attention): {shares}")


def _print_concurrency(concurrent: dict[str, Any]) -> None:
    speeds = {"tokens/s": "", "plain": "plain_", "mlx-lm": "mlx_lm_"}
    rows = [
        (
            count,
            *(f"{figures[f'{prefix}tokens_per_s']:.1f}" for prefix in speeds.values()),
            ", ".join(f"{source} {_percent(share)}" for source, share in figures["sources"].items()),
        )
        for count, figures in concurrent.items()
    ]
    print()
    print_table(("answers at once", *speeds, "by source"), rows, figures=speeds)
    ratios = {"of mlx-lm": "ratio", "plain of mlx-lm": "plain_ratio", "of plain": "gain"}
    first = "of plain at first"
    rows = [
        (
            count,
            *(f"{_ratio(figures[name])} {_spread(figures['spread'][name])}" for name in ratios.values()),
            _ratio(figures["first_gain"]),
        )
        for count, figures in concurrent.items()
    ]
    print("\nof a warm engine, in brackets the middle half of the repetitions; at first, it learns what batches cost:")
    print_table(("answers at once", *ratios, first), rows, figures=(*ratios, first))


def _spread(quartiles: Sequence[float]) -> str:
    lower, upper = quartiles
    return f"({lower:.2f} to {upper:.2f})"


def _print_arms(arms: dict[str, Any]) -> None:
    columns = {
        "speed-up": ("speedup", _ratio),
        "slowest": ("slowest_speedup", _ratio),
        "answer": ("answer_speedup", _ratio),
        "first token": ("ttft_ratio", _ratio),
        "round": ("tokens_per_round", lambda value: str(value or "-")),
        "accepted": ("accept_rate", _percent),
        "overhead": ("host_share", _percent),
    }
    rows = [
        (name, f"{figures['decode_tps']:.1f}", *(written(figures[figure]) for figure, written in columns.values()))
        for name, figures in arms.items()
    ]
    _print_by_arm("way", ("tokens/s", *columns), rows)


def _print_kinds(arms: dict[str, Any]) -> None:
    kinds = list(dict.fromkeys(kind for figures in arms.values() for kind in figures["by_kind"]))
    for start in range(0, len(kinds), _KINDS_IN_A_LINE):
        part = kinds[start : start + _KINDS_IN_A_LINE]
        rows = [
            (name, *(_ratio(figures["by_kind"].get(kind, {}).get("speedup")) for kind in part))
            for name, figures in arms.items()
        ]
        _print_by_arm("speed-up by kind", part, rows)


def _print_sources(arms: dict[str, Any]) -> None:
    """Print each source's share of the tokens of every arm; "main" are the main model's own."""
    sources = list(dict.fromkeys(source for figures in arms.values() for source in figures["sources"]))
    rows = [
        (name, *(_percent(figures["sources"].get(source)) for source in sources))
        for name, figures in arms.items()
        if figures["sources"]
    ]
    if sources:
        _print_by_arm("tokens by source", sources, rows)


def _print_by_arm(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print()
    print_table((title, *columns), rows, figures=columns)


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}x"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
