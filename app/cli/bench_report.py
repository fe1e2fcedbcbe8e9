"""The report of `tandem bench` as one HTML page with pictures, alone or beside an earlier report.

The page contains its figures as JSON, loads nothing, and runs no script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

from app.cli.bench_tables import best_arm, interval
from engine.errors import BadRequest
from engine.files.atomic_file import write_atomically

_DATA = '<script type="application/json" id="figures">'
_STYLE = """
:root { color-scheme: light dark; --bar: #2f6fdb; --before: #8b95a5; --line: #8886; --faint: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: 0.2rem 1.2rem 0.2rem 0; text-align: left; vertical-align: top; }
.figures td, .figures tr:first-child th + th { text-align: right; } .figures td { white-space: nowrap; }
.figures tr + tr { border-top: 1px solid var(--faint); } .machine th { font-weight: normal; opacity: 0.75;
  white-space: nowrap; } .machine td { overflow-wrap: anywhere; min-width: 8rem; }
.figures th:first-child { min-width: 9rem; }
.bars { display: grid; grid-template-columns: minmax(6rem, 14rem) 1fr auto; gap: 0.25rem 0.75rem;
  align-items: center; }
.name { overflow-wrap: anywhere; } .figure { text-align: right; font-variant-numeric: tabular-nums; }
.track { position: relative; align-self: center; background: var(--faint); border-radius: 2px; }
.bar, .before { display: block; border-radius: 2px; min-width: 1px; }
.bar { background: var(--bar); height: 11px; } .before { background: var(--before); height: 4px; margin-top: 1px; }
.line { position: absolute; top: -4px; bottom: -4px; width: 1px; background: currentColor; opacity: 0.55; }
.row { display: contents; }
@media (max-width: 30rem) { .bars { display: block; } .row { display: grid; grid-template-columns: 1fr auto;
  gap: 0.2rem 0.75rem; margin-bottom: 0.6rem; } .track { order: 1; grid-column: 1 / -1; align-self: auto; } }
@media print { .bar, .before, .track, .line { print-color-adjust: exact; } }
"""


def write_report(path: Path, report: Mapping[str, Any], other: Mapping[str, Any] | None = None) -> None:
    """Write `report` as a page, with the earlier report `other` beside it. Raises `BadRequest` if that fails."""
    try:
        write_atomically(path, page(report, other).encode())
    except OSError as error:
        raise BadRequest("report", "a file that can be written", str(path)) from error


def read_report(path: Path) -> dict[str, Any]:
    """Read the figures of a page by `write_report`, or of the output of `--json`. Raises `BadRequest`."""
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
    """Return the whole page."""
    arms, before = report["arms"], {} if other is None else other["arms"]
    kinds = dict.fromkeys(kind for figures in arms.values() for kind in figures["by_kind"])
    titles = {None: "Speed-up by way of drafting"} | {kind: f"Speed-up by way of drafting: {kind}" for kind in kinds}
    speedups = {title: (_speedups(arms, kind), _speedups(before, kind)) for kind, title in titles.items()}
    # One scale for all kinds, so that they can be compared.
    most = max((value for pair in speedups.values() for values in pair for value in values.values()), default=1.0)
    sections = [_section(title, _bars(*pair, most=most, reference=1.0)) for title, pair in speedups.items()]
    sections.insert(1, _section("Figures by way of drafting", _table(arms)))
    sections[2:2] = _beside_best(report.get("beside_best", {}))
    sections += _learned(report, other or {})
    title = f"{report['models']['main']} with {report['models']['draft'] or 'no draft'}"
    figures = escape(json.dumps(report, ensure_ascii=False), quote=False)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(title)}</h1>{_machines(report, other)}{_explained(report, other)}{''.join(sections)}"
        f"{_DATA}{figures}</script></html>\n"
    )


def _beside_best(beside: Mapping[str, Any]) -> list[str]:
    """Return tables of auto's share of the best arm that it chooses from, by kind of prompt."""
    head = "<tr><th>kind<th>these prompts (95%)<th>others like them (95%)<th>best way</tr>"
    sections = []
    for auto, kinds in beside.items():
        rows = (
            f"<tr><th>{escape(kind)}<td>{interval(found['here'])}<td>{interval(found['elsewhere'])}"
            f"<td>{escape(best_arm(found))}</tr>"
            for kind, found in kinds.items()
        )
        table = f'<div class="wide"><table class="figures">{head}{"".join(rows)}</table></div>'
        sections += [_section(f"{auto}, compared with the best way for each kind", table)] if kinds else []
    return sections


def _learned(report: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return charts of what the controller learned: acceptance by position, and the cost of rounds."""
    sections = []
    for source, rates in report.get("acceptance", {}).items():
        bars = _bars(rates, other.get("acceptance", {}).get(source, {}), form="{:.0%}", most=1.0)
        sections.append(_section(f"Accepted by position: {source}", bars))
    for source, costs in report.get("costs", {}).items():
        bars = _bars(costs, other.get("costs", {}).get(source, {}), form="{:.2f}")
        sections.append(_section(f"Milliseconds of a round by draft tokens: {source}", bars))
    return sections


def _machines(report: Mapping[str, Any], other: Mapping[str, Any] | None) -> str:
    columns = [_circumstances(one) for one in (report, other) if one is not None]
    head = "" if other is None else "<tr><th><th>this report<th>compared with</tr>"
    rows = (
        f"<tr><th>{escape(name)}" + "".join(f"<td>{escape(column.get(name, '-'))}" for column in columns) + "</tr>"
        for name in dict.fromkeys(name for column in columns for name in column)
    )
    return f'<div class="wide"><table class="machine">{head}{"".join(rows)}</table></div>'


def _circumstances(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the circumstances of a measurement: models, date, command and machine."""
    models, machine = report["models"], dict(report["machine"])
    memory = machine.pop("memory_gb", None)
    known = {"main model": models["main"], "drafter": models["draft"], "measured on": report.get("measured")}
    known |= {"command": report.get("command"), "Tandem": report.get("tandem")} | machine
    known |= {"memory": None if memory is None else f"{memory} GB"}
    words = {"python": "Python", "blas": "BLAS"}
    return {words.get(name, name): _words(value) for name, value in known.items() if value is not None}


def _explained(report: Mapping[str, Any], other: Mapping[str, Any] | None) -> str:
    words = (
        "A speed-up compares the tokens a second of an answer with those of plain decoding, on the same prompt in the "
        "same run: medians over all answers. The line stands at 1.00x. Speeds are those of this computer: with others, "
        "only ratios compare."
    )
    beside = "" if other is None else " Gray bars, and the figures after a slash, are those of the other report."
    ended = " It was interrupted: only what every way had answered counts." if report.get("interrupted") else ""
    return f"<p>{words}{beside}{ended}</p>"


def _table(arms: Mapping[str, Any]) -> str:
    """Return the figures that the bars do not show."""
    columns = {
        "answers": ("answers", "{}"),
        "tokens/s": ("decode_tps", "{:.1f}"),
        "slowest answer": ("slowest_speedup", "{:.2f}x"),
        "first token, of plain’s": ("ttft_ratio", "{:.2f}x"),
        "accepted": ("accept_rate", "{:.0%}"),
        "overhead": ("host_share", "{:.0%}"),
    }
    rows = [
        f"<tr><th>{escape(name)}"
        + "".join(f"<td>{_figure(figures.get(key), form)}" for key, form in columns.values())
        + "</tr>"
        for name, figures in arms.items()
    ]
    head = "".join(f"<th>{title}" for title in columns)
    return f'<div class="wide"><table class="figures"><tr><th>way{head}</tr>{"".join(rows)}</table></div>'


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
    reference: float | None = None,
) -> str:
    """Return horizontal bars up to `most`, a thin bar for each earlier figure, and a line at `reference`."""
    most = most or max([*values.values(), *before.values(), 1e-9])
    line = "" if reference is None else f'<i class="line" style="left:{_share(reference, most)}"></i>'
    rows = []
    for name in dict.fromkeys([*values, *before]):
        value, earlier = values.get(name), before.get(name)
        bars = "" if value is None else f'<i class="bar" style="width:{_share(value, most)}"></i>'
        bars += "" if earlier is None else f'<i class="before" style="width:{_share(earlier, most)}"></i>'
        figure = _figure(value, form) + ("" if earlier is None else f" / {form.format(earlier)}")
        rows.append(
            f'<div class="row"><span class="name">{escape(name)}</span><span class="track">{bars}{line}</span>'
            f'<span class="figure">{figure}</span></div>'
        )
    return f'<div class="bars">{"".join(rows)}</div>' if rows else "<p>Nothing was measured.</p>"


def _share(value: float, most: float) -> str:
    return f"{100 * min(1.0, value / most):.1f}%"
