"""The report of `tandem bench` as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.cli.terminal import print_table

# Columns beside the name of a way of drafting.
_KINDS_IN_A_LINE = 5


@dataclass(frozen=True)
class Figures:
    """A table of figures; only the last column may hold words, if it is in `words`."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    words: str = ""


def print_report(report: dict[str, Any]) -> None:
    """Print the machine, and the figures of arms or of concurrent answers."""
    machine = report["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    print(f"{report['models']['main']} with {report['models']['draft'] or 'no draft'}")
    print(f"{machine['system']}, {machine['cores']} cores, {machine['device']}, BLAS {machine['blas']}, {versions}")
    for table in _tables_of(report):
        print(f"\n{table.title}:" if table.title else "")
        print_table(table.head, table.rows, figures=[name for name in table.head[1:] if name != table.words])


def _tables_of(report: dict[str, Any]) -> list[Figures]:
    """Return the tables of a report."""
    if "concurrent" in report:
        return _concurrency(report["concurrent"])
    arms = report["arms"]
    return [_arms(arms), *_by_kind(arms), *_sources(arms)]


def _concurrency(concurrent: dict[str, Any]) -> list[Figures]:
    speeds = {"tokens/s": "", "plain": "plain_", "mlx-lm": "mlx_lm_"}
    by_source = [
        (
            count,
            *(f"{figures[f'{prefix}tokens_per_s']:.1f}" for prefix in speeds.values()),
            ", ".join(f"{source} {_percent(share)}" for source, share in figures["sources"].items()),
        )
        for count, figures in concurrent.items()
    ]
    ratios = {"of mlx-lm": "ratio", "plain of mlx-lm": "plain_ratio", "of plain": "gain"}
    rows = [
        (count, *(f"{_ratio(figures[name])} {_spread(figures['spread'][name])}" for name in ratios.values()))
        for count, figures in concurrent.items()
    ]
    return [
        Figures(("answers at once", *speeds, "by source"), by_source, words="by source"),
        Figures(("answers at once", *ratios), rows, "in brackets the middle half of the repetitions"),
    ]


def _spread(quartiles: Sequence[float]) -> str:
    lower, upper = quartiles
    return f"({lower:.2f} to {upper:.2f})"


def _arms(arms: dict[str, Any]) -> Figures:
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
    return Figures(head, rows)


def _by_kind(arms: dict[str, Any]) -> list[Figures]:
    kinds = list(dict.fromkeys(kind for figures in arms.values() for kind in figures["by_kind"]))
    parts = [kinds[start : start + _KINDS_IN_A_LINE] for start in range(0, len(kinds), _KINDS_IN_A_LINE)]
    return [
        Figures(
            ("speed-up by kind", *part),
            [
                (name, *(_ratio(figures["by_kind"].get(kind, {}).get("speedup")) for kind in part))
                for name, figures in arms.items()
            ],
        )
        for part in parts
    ]


def _sources(arms: dict[str, Any]) -> list[Figures]:
    """Return each source's share of the tokens of every arm; "main" are the main model's own."""
    sources = list(dict.fromkeys(source for figures in arms.values() for source in figures["sources"]))
    rows = [
        (name, *(_percent(figures["sources"].get(source)) for source in sources))
        for name, figures in arms.items()
        if figures["sources"]
    ]
    return [Figures(("tokens by source", *sources), rows)] if sources else []


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}x"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
