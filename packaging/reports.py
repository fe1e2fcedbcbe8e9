"""Turn the reports of people into README's table, points of the estimates, and the list of confirmed chips.

    gh issue list --label report --state all --limit 1000 --json number,author,body > issues.json
    python packaging/reports.py issues.json

Anybody can write an issue. Only objects that have exactly the form of what `tandem doctor --json` and
`tests.tools.row_kernels` print are read, with values that a Mac can have; all others are named with their issue, and
add nothing. What kind of head was measured, and with which weights, comes from our own catalog. A person counts once
for each pair and chip, with the newest report. Look at the changes before you commit them.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

from msgspec import Meta, MsgspecError, Struct, field
from msgspec.json import decode

ROOT = Path(__file__).resolve().parents[1]
# The most characters of an object.
_LARGEST = 20_000
# A median of fewer answers says little.
_FEWEST_ANSWERS = 8
# As many people have to have confirmed a chip: its kernels are then used on all such Macs.
PEOPLE = 2
_OBJECT = re.compile(r"^```json\s*\n(.*?)\n```\s*$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?<=\n\| Chip, memory \|)(.*\n\|[-|]+\|\n)((?:\|.*\n)+)")
_NO_ROW = "| no report yet | | | | | | |"
_OURS = "Tandem reports "

# Up to \Z, as $ allows a line break.
Chip = Annotated[str, Meta(pattern=r"^Apple M[0-9]{1,2}( Pro| Max| Ultra)?\Z")]
System = Annotated[str, Meta(pattern=r"^macOS [0-9]{2}(\.[0-9]{1,2}){0,2}\Z")]
Version = Annotated[str, Meta(pattern=r"^[0-9]{1,4}(\.[0-9]{1,4}){1,3}((a|b|rc|\.dev)[0-9]{1,4})?\Z")]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}/[A-Za-z0-9][A-Za-z0-9_.-]{0,95}\Z")]
Speed = Annotated[float, Meta(gt=0.1, lt=10_000)]
Share = Annotated[float, Meta(ge=0, le=1)]
Architecture = Annotated[str, Meta(pattern=r"^applegpu_g[0-9]{2}[a-z]\Z")]


class Memory(Struct, frozen=True):
    """The bytes of memory of a Mac."""

    total: Annotated[int, Meta(ge=4 * 10**9, le=4 * 10**12)]


class Versions(Struct, frozen=True):
    """The versions that were measured."""

    tandem: Version = field(name="Tandem")
    mlx: Version = field(name="MLX")
    mlx_lm: Version = field(name="mlx-lm")


class Models(Struct, frozen=True):
    """The names of the measured models; those without a page on the Hub have none."""

    main: Name
    draft: Name


class Figures(Struct, frozen=True):
    """The measurements of the pair, in the form of engine/bench/pair_check.py."""

    plain_tokens_per_second: Speed
    best_tokens_per_second: Speed
    times: Annotated[float, Meta(gt=0.1, lt=20)]
    accept_rate: Share
    identical: bool
    answers: Annotated[int, Meta(ge=1, le=1000)]
    ended: Literal["", "stopped", "busy", "failed"]


class Report(Struct, frozen=True):
    """The parts of the doctor's object that the README's table needs."""

    chip: Chip
    system: System
    memory: Memory
    low_power_mode: Literal[False]
    versions: Versions
    models: Models
    speed: Figures


class KernelReport(Struct, frozen=True, forbid_unknown_fields=True):
    """The last line of tests/tools/row_kernels.py if all is well: the GPU, and the digest of our kernels' code."""

    architecture: Architecture
    kernels: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
    well: Literal[True]


@dataclass(frozen=True)
class Sent:
    """A report, who sent it, and in which issue."""

    issue: int
    author: str
    content: Report | KernelReport


def main(issues: str) -> None:
    """Write the three files anew from the issues, and print the reports that were left out."""
    from engine.row_kernels.choice import sources_digest

    sent = list(read(json.loads(Path(issues).read_text(encoding="utf-8"))))
    reports = newest([entry for entry in sent if isinstance(entry.content, Report)])
    readme = ROOT / "README.md"
    readme.write_text(with_table(readme.read_text(encoding="utf-8"), reports), encoding="utf-8")
    catalog = json.loads((ROOT / "resources" / "catalog.json").read_text(encoding="utf-8"))
    gains = ROOT / "resources" / "published_gains.json"
    gains.write_text(with_points(gains.read_text(encoding="utf-8"), points_of(reports, catalog)), encoding="utf-8")
    chips = ROOT / "resources" / "confirmed_chips.json"
    known: list[str] = json.loads(chips.read_text(encoding="utf-8"))
    chips.write_text(json.dumps(sorted({*known, *confirmed(sent, sources_digest())})) + "\n", encoding="utf-8")


def read(issues: Sequence[dict[str, Any]]) -> Iterator[Sent]:
    """Yield the valid objects of issues, as GitHub's command line prints them, and print why others are none."""
    for issue in issues:
        objects = _OBJECT.findall(str(issue["body"]).replace("\r\n", "\n"))
        for text in objects:
            try:
                yield Sent(int(issue["number"]), str(issue["author"]["login"]), content_of(text))
            except (ValueError, RecursionError) as reason:
                print(f"#{issue['number']} adds nothing: {str(reason)[:200]!r}")


def content_of(text: str) -> Report | KernelReport:
    """Return an object of an issue. Raises `ValueError` if it is none of ours, or says what no Mac can have."""
    if len(text) > _LARGEST:
        raise ValueError(f"{len(text)} characters")
    try:
        if '"kernels"' in text:
            return decode(text, type=KernelReport)
        report = decode(text, type=Report)
    except MsgspecError as error:
        raise ValueError(str(error)) from error
    speed = report.speed
    ratio = speed.best_tokens_per_second / speed.plain_tokens_per_second
    # A median of ratios is near the ratio of the medians.
    if not 0.6 < ratio / speed.times < 1.7:
        raise ValueError(f"{speed.times} times does not follow from the speeds")
    return report


def newest(sent: Sequence[Sent]) -> list[Sent]:
    """Return the newest report of each person about each pair on each kind of Mac, by chip and memory."""
    by_subject: dict[tuple[object, ...], Sent] = {}
    for entry in sorted(sent, key=lambda entry: entry.issue):
        if isinstance(entry.content, Report):
            by_subject[entry.author, entry.content.chip, entry.content.memory, entry.content.models] = entry
    return sorted(by_subject.values(), key=lambda entry: (row_of(entry.content), entry.issue))


def with_table(readme: str, reports: Sequence[Sent]) -> str:
    """Return the README with a row for each report."""
    rows = [row_of(entry.content) for entry in reports] or [_NO_ROW]
    text, count = _TABLE.subn(lambda match: match[1] + "".join(f"{row}\n" for row in rows), readme)
    if count != 1:
        raise ValueError("the README has no table of reports")
    return text


def row_of(content: Report | KernelReport) -> str:
    """Return the row of a report, "" for another object."""
    if not isinstance(content, Report):
        return ""
    versions = content.versions
    speed = content.speed
    identical = "yes" if speed.identical else "no"
    cells = (
        f"{content.chip}, {content.memory.total / 2**30:.0f} GB",
        content.system.removeprefix("macOS "),
        f"{versions.tandem}, {versions.mlx}, {versions.mlx_lm}",
        f"{content.models.main} + {content.models.draft}",
        f"{speed.plain_tokens_per_second:.1f}, {speed.best_tokens_per_second:.1f}",
        f"{speed.accept_rate:.0%}",
        identical,
    )
    return f"| {' | '.join(cells)} |"


def points_of(reports: Sequence[Sent], catalog: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a point for each chip and pair with a head of our catalog, as estimates read it; reports are its range."""
    mains = {model["id"]: model for model in catalog["models"]}
    heads = {head["id"]: head for head in catalog["heads"]}
    grouped: dict[tuple[str, str, str], list[Sent]] = defaultdict(list)
    for entry in reports:
        report = entry.content
        if isinstance(report, Report) and not report.speed.ended and report.speed.answers >= _FEWEST_ANSWERS:
            grouped[report.chip, report.models.main, report.models.draft].append(entry)
    points = []
    for (chip, main_name, draft), entries in sorted(grouped.items()):
        if main_name not in mains or draft not in heads:
            continue
        model = mains[main_name]
        times = [entry.content.speed.times for entry in entries if isinstance(entry.content, Report)]
        middle = median(times)
        points.append(
            {
                "chip": chip,
                "kind": heads[draft]["kind"],
                "model": model["name"],
                "bits": model["bits"],
                "mixture": model["active_parameters"] < model["parameters"],
                # Beyond a factor of two from the median, something else ran on that Mac.
                "least": min(value for value in times if value >= middle / 2),
                "most": max(value for value in times if value <= middle * 2),
                "source": _OURS
                + ", ".join(f"#{entry.issue}" for entry in sorted(entries, key=lambda sent: sent.issue)),
            }
        )
    return points


def with_points(gains: str, points: Sequence[dict[str, Any]]) -> str:
    """Return the file of published gains with these points in place of the points of earlier reports."""
    content = json.loads(gains)
    published = [point for point in content.pop("points") if not point["source"].startswith(_OURS)]
    head = json.dumps(content, ensure_ascii=False, indent=1).removesuffix("\n}")
    lines = ",\n".join(f"  {json.dumps(point, ensure_ascii=False)}" for point in [*published, *points])
    return f'{head},\n "points": [\n{lines}\n ]\n}}\n'


def confirmed(sent: Sequence[Sent], digest: str) -> list[str]:
    """Return the GPUs on which enough people have run all our kernels as they are now, by their `digest`."""
    people: dict[str, set[str]] = defaultdict(set)
    for entry in sent:
        if isinstance(entry.content, KernelReport) and entry.content.kernels == digest:
            people[entry.content.architecture].add(entry.author)
    return sorted(name for name, authors in people.items() if len(authors) >= PEOPLE)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(*sys.argv[1:])
