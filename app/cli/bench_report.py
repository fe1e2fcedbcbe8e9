"""The report of `tandem bench` as one HTML page with pictures, to send to others; it can be compared with another.

The page holds its own figures as JSON, needs nothing from outside, and runs no script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

from engine.atomic_file import write_atomically
from engine.errors import BadRequest

_DATA = '<script type="application/json" id="figures">'
_STYLE = """
:root { color-scheme: light dark; --bar: #2f6fdb; --before: #9aa4b2; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
svg { width: 100%; height: auto; } text { font: 12px system-ui, sans-serif; fill: currentColor; }
.bar { fill: var(--bar); } .before { fill: var(--before); } .line { stroke: var(--line); }
table { border-collapse: collapse; } td, th { padding: 0.2rem 1rem 0.2rem 0; text-align: left; }
"""
# Widths of the names and of the figures, of the whole picture, and the height of a row.
_NAMES, _FIGURES, _WIDTH, _ROW = 190, 110, 900, 22


def write_report(path: Path, report: Mapping[str, Any], other: Mapping[str, Any] | None = None) -> None:
    """Write `report` as a page; `other`, an earlier one, is shown beside it. Raises `BadRequest` where it cannot be."""
    try:
        write_atomically(path, page(report, other).encode())
    except OSError as error:
        raise BadRequest("report", "a file that can be written", str(path)) from error


def read_report(path: Path) -> dict[str, Any]:
    """The figures of a page that `write_report` wrote, or of a file of `--json`. Raises `BadRequest`."""
    wanted = "a report of tandem bench"
    try:
        text = path.read_text(encoding="utf-8")
        held = re.search(re.escape(_DATA) + "(.*?)</script>", text, re.DOTALL)
        figures = json.loads(unescape(held[1]) if held else text)
    except (OSError, ValueError) as error:
        raise BadRequest("compare", wanted, str(path)) from error
    if not isinstance(figures, dict) or not isinstance(figures.get("arms"), dict):
        raise BadRequest("compare", wanted, str(path))
    return figures


def page(report: Mapping[str, Any], other: Mapping[str, Any] | None = None) -> str:
    """The whole page."""
    arms, before = report["arms"], {} if other is None else other["arms"]
    kinds = dict.fromkeys(kind for figures in arms.values() for kind in figures["by_kind"])
    titles = {None: "Speed-up by arm"} | {kind: f"Speed-up by arm: {kind}" for kind in kinds}
    speedups = {title: (_speedups(arms, kind), _speedups(before, kind)) for kind, title in titles.items()}
    # All of them on one scale, so that kinds can be compared by eye.
    most = max((value for pair in speedups.values() for values in pair for value in values.values()), default=1.0)
    sections = [_section(title, _bars(*pair, most=most, reference=1.0)) for title, pair in speedups.items()]
    sections.insert(1, _section("Figures by arm", _table(arms)))
    sections += _learned(report, other or {})
    title = f"{report['models']['main']} with {report['models']['draft'] or 'no draft'}"
    figures = escape(json.dumps(report, ensure_ascii=False), quote=False)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"<h1>{escape(title)}</h1>{_machines(report, other)}{_explained(other)}{''.join(sections)}"
        f"{_DATA}{figures}</script></html>\n"
    )


def _learned(report: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """What the depth controller found out: how many draft tokens were right, and what rounds cost."""
    sections = []
    for source, rates in report.get("acceptance", {}).items():
        bars = _bars(rates, other.get("acceptance", {}).get(source, {}), form="{:.0%}", most=1.0)
        sections.append(_section(f"Accepted by position: {source}", bars))
    for source, costs in report.get("costs", {}).items():
        bars = _bars(costs, other.get("costs", {}).get(source, {}), form="{:.2f}")
        sections.append(_section(f"Milliseconds of a round by draft tokens: {source}", bars))
    return sections


def _machines(report: Mapping[str, Any], other: Mapping[str, Any] | None) -> str:
    columns = [report["machine"]] + ([] if other is None else [other["machine"]])
    head = "" if other is None else "<tr><th><th>this report<th>compared with</tr>"
    rows = (
        f"<tr><th>{escape(name.replace('_', ' '))}"
        + "".join(f"<td>{escape(_words(machine.get(name)))}" for machine in columns)
        + "</tr>"
        for name in columns[0]
    )
    return f"<table>{head}{''.join(rows)}</table>"


def _explained(other: Mapping[str, Any] | None) -> str:
    words = (
        "A speed-up compares the tokens a second of an answer with those of plain decoding, on the same prompt in the "
        "same run: medians over all answers. The line stands at 1.00x."
    )
    beside = "" if other is None else " Grey bars, and the figures after a slash, are those of the other report."
    return f"<p>{words}{beside}</p>"


def _table(arms: Mapping[str, Any]) -> str:
    """What the arms' bars leave out."""
    columns = {
        "tokens/s": ("decode_tps", "{:.1f}"),
        "slowest answer": ("slowest_speedup", "{:.2f}x"),
        "first token, of plain’s": ("ttft_ratio", "{:.2f}x"),
        "accepted": ("accept_rate", "{:.0%}"),
        "waiting for the host": ("host_share", "{:.0%}"),
    }
    rows = [
        f"<tr><th>{escape(name)}"
        + "".join(f"<td>{_figure(figures.get(key), form)}" for key, form in columns.values())
        + "</tr>"
        for name, figures in arms.items()
    ]
    return f"<table><tr><th>arm{''.join(f'<th>{title}' for title in columns)}</tr>{''.join(rows)}</table>"


def _figure(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    return "-" if value is None else str(value)


def _section(title: str, picture: str) -> str:
    return f"<h2>{escape(title)}</h2>{picture}"


def _speedups(arms: Mapping[str, Any], kind: str | None = None) -> dict[str, float]:
    chosen = {name: figures if kind is None else figures["by_kind"].get(kind, {}) for name, figures in arms.items()}
    return {name: figures["speedup"] for name, figures in chosen.items() if figures.get("speedup") is not None}


def _bars(
    values: Mapping[str, float],
    before: Mapping[str, float],
    *,
    form: str = "{:.2f}x",
    most: float | None = None,
    reference: float = 0.0,
) -> str:
    """Horizontal bars up to `most`, one for each name, with their figures; a thin one below for an earlier figure.

    A line stands at `reference`.
    """
    most = most or max([*values.values(), *before.values(), 1e-9])
    names = list(dict.fromkeys([*values, *before]))
    parts = []
    for row, name in enumerate(names):
        top, value, earlier = row * _ROW, values.get(name), before.get(name)
        parts.append(f'<text x="0" y="{top + 14}">{escape(name)}</text>')
        figure = _figure(value, form) + ("" if earlier is None else f" / {form.format(earlier)}")
        parts.append(_bar(value or 0.0, most, top + 4, 11, "bar", figure))
        if earlier is not None:
            parts.append(_bar(earlier, most, top + 16, 4, "before", ""))
    height, at = max(_ROW, len(names) * _ROW), _NAMES + _span(reference, most)
    line = f'<line class="line" x1="{at:.0f}" x2="{at:.0f}" y1="0" y2="{height}"/>'
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img">{"".join(parts)}{line}</svg>'


def _span(value: float, most: float) -> float:
    return (_WIDTH - _NAMES - _FIGURES) * value / most


def _bar(value: float, most: float, top: int, height: int, kind: str, figure: str) -> str:
    width = max(1.0, _span(value, most))
    label = f'<text x="{_NAMES + width + 6:.0f}" y="{top + 10}">{figure}</text>' if figure else ""
    return f'<rect class="{kind}" x="{_NAMES}" y="{top}" width="{width:.0f}" height="{height}" rx="2"/>{label}'
