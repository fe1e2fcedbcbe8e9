"""The findings of confirm_on_mac.py on each point, in a file that is whole whenever the Mac, or the script, ends.

A point is marked before it starts: one that hung the Mac is known by that in the next run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

# States of a point. One that still "runs" in the file of an earlier run did not end.
OK = "ok"
FAILED = "failed"
RUNS = "runs"
HUNG = "did not end"
_FOR_A_PERSON = "## For a person"


@dataclass(frozen=True)
class Section:
    """A part of the report: its title, and the points in it."""

    title: str
    points: Sequence[str]


@dataclass(frozen=True)
class Entry:
    """The result of a point: its state, and its findings or why it failed."""

    state: str
    text: str


class MacReport:
    """The report in `file`, and the same as data beside it, from which another run goes on.

    The findings of an earlier run are used if it had the same `subject`: the commit and the system.
    """

    def __init__(self, file: Path, subject: str, sections: Sequence[Section], for_a_person: str) -> None:
        """Read the file of an earlier run. `for_a_person` is the text of the last section."""
        self._file = file
        self._data = file.with_suffix(".json")
        self._subject = subject
        self._sections = sections
        self._entries = self._earlier_entries()
        self._for_a_person = self._earlier_words() or for_a_person

    def _earlier_entries(self) -> dict[str, Entry]:
        try:
            earlier = json.loads(self._data.read_text(encoding="utf-8"))
            is_same = earlier["subject"] == self._subject
            entries = {point: Entry(**entry) for point, entry in earlier["entries"].items()}
        # There is none, or a person has changed it.
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}
        return {
            point: Entry(HUNG, "the Mac or the script ended meanwhile") if entry.state == RUNS else entry
            for point, entry in (entries if is_same else {}).items()
        }

    def _earlier_words(self) -> str:
        """Return the last section as a person has completed it, "" if it is for another subject."""
        try:
            beginning, _, words = self._file.read_text(encoding="utf-8").partition(f"\n{_FOR_A_PERSON}\n\n")
        except (OSError, ValueError):
            return ""
        return words if beginning.startswith(title_of(self._subject)) else ""

    def entry(self, point: str) -> Entry | None:
        """Return the result of a point, also from an earlier run; None if there is none."""
        return self._entries.get(point)

    def note(self, point: str, state: str, text: str = "") -> None:
        """Store the result of a point, and write the file at once."""
        self._entries[point] = Entry(state, text)
        self.write()

    def forget(self, point: str) -> None:
        """Remove the result of a point that runs: a person has stopped it."""
        self._entries.pop(point, None)
        self.write()

    def write(self) -> None:
        """Write both files, so that they are on the disk when this returns."""
        self._file.parent.mkdir(exist_ok=True)
        parts = [title_of(self._subject)]
        for section in self._sections:
            lines = [line_of(point, self._entries.get(point)) for point in section.points]
            parts += [f"## {section.title}", *lines]
        replace(self._file, "\n\n".join([*parts, _FOR_A_PERSON, self._for_a_person]))
        entries = {point: asdict(entry) for point, entry in self._entries.items()}
        replace(self._data, json.dumps({"subject": self._subject, "entries": entries}, ensure_ascii=False, indent=1))


def title_of(subject: str) -> str:
    """Return the first line of a report."""
    return f"# Confirmed on a Mac: {subject}"


def line_of(point: str, entry: Entry | None) -> str:
    """Return a point as it stands in the report."""
    if entry is None:
        return f"[not run] {point}"
    between = "\n" if entry.state == OK else ": "
    return f"[{entry.state}] {point}{between}{entry.text}" if entry.text else f"[{entry.state}] {point}"


def replace(file: Path, text: str) -> None:
    """Replace the content of a file at once: what hangs the GPU may end the Mac."""
    new = file.with_name(f"{file.name}.new")
    with new.open("w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    new.replace(file)
