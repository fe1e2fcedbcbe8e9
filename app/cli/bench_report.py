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
_NAMES, _WIDTH, _ROW = 190, 900, 22


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
    sections = [_section("Speed-up by arm", _bars(_speedups(arms), _speedups(before)))]
    for kind in kinds:
        bars = _bars(_speedups(arms, kind), _speedups(before, kind))
        sections.append(_section(f"Speed-up by arm: {kind}", bars))
    for source, rates in report.get("acceptance", {}).items():
        earlier = (other or {}).get("acceptance", {}).get(source, {})
        sections.append(_section(f"Accepted by position: {source}", _bars(rates, earlier, form="{:.0%}")))
    for source, costs in report.get("costs", {}).items():
        earlier = (other or {}).get("costs", {}).get(source, {})
        sections.append(
            _section(f"Milliseconds of a round by draft tokens: {source}", _bars(costs, earlier, form="{:.2f}"))
        )
    title = f"{report['models']['main']} with {report['models']['draft'] or 'no draft'}"
    figures = escape(json.dumps(report, ensure_ascii=False), quote=False)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"<h1>{escape(title)}</h1>{_machines(report, other)}{''.join(sections)}{_DATA}{figures}</script></html>\n"
    )


def _machines(report: Mapping[str, Any], other: Mapping[str, Any] | None) -> str:
    columns = [report["machine"]] + ([] if other is None else [other["machine"]])
    head = "" if other is None else "<tr><th><th>this report<th>compared with</tr>"
    rows = (
        f"<tr><th>{escape(name)}" + "".join(f"<td>{escape(_words(machine.get(name)))}" for machine in columns) + "</tr>"
        for name in columns[0]
    )
    return f"<table>{head}{''.join(rows)}</table>"


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    return "-" if value is None else str(value)


def _section(title: str, picture: str) -> str:
    return f"<h2>{escape(title)}</h2>{picture}"


def _speedups(arms: Mapping[str, Any], kind: str | None = None) -> dict[str, float]:
    chosen = {name: figures if kind is None else figures["by_kind"].get(kind, {}) for name, figures in arms.items()}
    return {name: figures["speedup"] for name, figures in chosen.items() if figures.get("speedup") is not None}


def _bars(values: Mapping[str, float], before: Mapping[str, float], form: str = "{:.2f}x") -> str:
    """Horizontal bars, one for each name, with their figures; a thin one below where there is an earlier figure."""
    most = max([*values.values(), *before.values(), 1e-9])
    parts = []
    for row, (name, value) in enumerate(values.items()):
        top = row * _ROW
        parts.append(f'<text x="0" y="{top + 14}">{escape(name)}</text>')
        parts.append(_bar(value, most, top + 4, 11, "bar", form.format(value)))
        if (earlier := before.get(name)) is not None:
            parts.append(_bar(earlier, most, top + 16, 4, "before", ""))
    height = max(_ROW, len(values) * _ROW)
    line = f'<line class="line" x1="{_NAMES}" x2="{_NAMES}" y1="0" y2="{height}"/>'
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img">{line}{"".join(parts)}</svg>'


def _bar(value: float, most: float, top: int, height: int, kind: str, figure: str) -> str:
    width = max(1.0, (_WIDTH - _NAMES - 70) * value / most)
    label = f'<text x="{_NAMES + width + 6:.0f}" y="{top + 10}">{figure}</text>' if figure else ""
    return f'<rect class="{kind}" x="{_NAMES}" y="{top}" width="{width:.0f}" height="{height}" rx="2"/>{label}'
