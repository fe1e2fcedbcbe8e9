"""The report of `tandem bench` as tables, and as one HTML page, which loads nothing and runs no script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from app.cli.terminal import print_table
from engine.errors import BadRequest
from engine.files.atomic_file import write_atomically

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
    for table in tables_of(report):
        print(f"\n{table.title}:" if table.title else "")
        print_table(table.head, table.rows, figures=[name for name in table.head[1:] if name != table.words])


def tables_of(report: dict[str, Any]) -> list[Figures]:
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


_STYLE = """
:root { color-scheme: light dark; --bar: #2f6fdb; --faint: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
.wide { overflow-x: auto; margin-top: 1.5rem; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: 0.2rem 1.2rem 0.2rem 0; text-align: left; vertical-align: top; font-weight: normal; }
tr + tr { border-top: 1px solid var(--faint); }
.bars { display: grid; grid-template-columns: minmax(6rem, 14rem) 1fr auto; gap: 0.25rem 0.75rem; align-items: center; }
.name { overflow-wrap: anywhere; } .track { position: relative; background: var(--faint); border-radius: 2px; }
.bar { display: block; border-radius: 2px; min-width: 1px; background: var(--bar); height: 11px; }
.line { position: absolute; top: -4px; bottom: -4px; width: 1px; background: currentColor; opacity: 0.55; }
@media print { .bar, .track, .line { print-color-adjust: exact; } }
"""


def write_report(path: Path, report: dict[str, Any]) -> None:
    """Write `report` as a page. Raises `BadRequest` if that fails."""
    try:
        write_atomically(path, page(report).encode())
    except OSError as error:
        raise BadRequest("report", "a file that can be written", str(path)) from error


def page(report: dict[str, Any]) -> str:
    """Return the whole page."""
    arms = report.get("arms", {})
    kinds = dict.fromkeys(kind for figures in arms.values() for kind in figures["by_kind"])
    speedups = {"Speed-up by way of drafting": _speedups(arms)} if arms else {}
    speedups |= {f"Speed-up by way of drafting: {kind}": _speedups(arms, kind) for kind in kinds}
    # One scale for all kinds, so that they can be compared.
    most = max((value for values in speedups.values() for value in values.values()), default=1.0)
    title = f"{report['models']['main']} with {report['models']['draft'] or 'no draft'}"
    sections = [f"<h2>{escape(name)}</h2>{_bars(values, most)}" for name, values in speedups.items()]
    for table in tables_of(report):
        sections += [f"<h2>{escape(table.title)}</h2>"] if table.title else []
        sections.append(_table([table.head, *table.rows]))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style><h1>{escape(title)}</h1>"
        f"{_table(_conditions(report))}{_explained(report)}{''.join(sections)}</html>\n"
    )


def _conditions(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return when, how and on which machine was measured."""
    known = {"measured on": report.get("measured"), "command": report.get("command"), "Tandem": report.get("tandem")}
    known |= report["machine"]
    return [(name.replace("_gb", " in GB"), _words(value)) for name, value in known.items() if value is not None]


def _words(value: object) -> str:
    return ", ".join(f"{name} {one}" for name, one in value.items()) if isinstance(value, Mapping) else str(value)


def _explained(report: Mapping[str, Any]) -> str:
    words = (
        "A speed-up compares the tokens a second of an answer with those of plain decoding, on the same prompt in the "
        "same run: medians over all answers. The line stands at 1.00x. Speeds are those of this computer: with others, "
        "only ratios compare."
    )
    ended = " It was interrupted: only what every way had answered counts." if report.get("interrupted") else ""
    return f"<p>{words}{ended}</p>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ("".join(f"<td>{escape(cell)}" for cell in row) for row in rows)
    return f'<div class="wide"><table>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'


def _speedups(arms: Mapping[str, Any], kind: str | None = None) -> dict[str, float]:
    chosen = {name: figures if kind is None else figures["by_kind"].get(kind, {}) for name, figures in arms.items()}
    return {name: figures["speedup"] for name, figures in chosen.items() if figures.get("speedup") is not None}


def _bars(values: Mapping[str, float], most: float) -> str:
    """Return horizontal bars up to `most`, with a line at 1."""
    line = f'<i class="line" style="left:{min(100.0, 100 / most):.1f}%"></i>'
    rows = [
        f'<span class="name">{escape(name)}</span>'
        f'<span class="track"><i class="bar" style="width:{100 * value / most:.1f}%"></i>{line}</span>'
        f"<span>{value:.2f}x</span>"
        for name, value in values.items()
    ]
    return f'<div class="bars">{"".join(rows)}</div>' if rows else "<p>Nothing was measured.</p>"
