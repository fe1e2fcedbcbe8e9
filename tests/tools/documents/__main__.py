"""Compare readers of documents: `python -m tests.tools.documents WRITERS FOLDER [NAME=PYTHON ...] [--verbose]`.

WRITERS is the Python of an environment with python-docx, openpyxl, XlsxWriter, python-pptx, odfpy, ReportLab and
WeasyPrint; LibreOffice and pandoc have to be installed. It writes the documents into FOLDER, once, all of them without
chance. Tandem and pandoc read them, and each reader NAME with the PYTHON of an environment that has it, such as
`markitdown=PATH`. Prints, for each format and reader, how many facts are lost, doubled, wrong, and hidden but read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.source_files import ROOT
from tests.tools.documents.facts import Facts, Verdict, judge
from tests.tools.documents.reading import SUFFIXES


@dataclass(slots=True)
class Column:
    """What a reader made of the documents of a format."""

    documents: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0
    hidden: int = 0
    seconds: float = 0.0
    most_mb: float = 0.0

    def add(self, verdict: Verdict, cost: dict[str, float]) -> None:
        self.documents += 1
        self.lost += len(verdict.lost)
        self.doubled += len(verdict.doubled)
        self.wrong += len(verdict.wrong)
        self.hidden += len(verdict.hidden)
        self.seconds += cost["seconds"]
        self.most_mb = max(self.most_mb, cost["mb"])

    def __str__(self) -> str:
        if not self.documents:
            return "-"
        counts = f"{self.lost}/{self.doubled}/{self.wrong}/{self.hidden}"
        return f"{counts} {self.seconds / self.documents:.2f}s {self.most_mb:.0f}MB"


def facts_of(record: dict[str, Any]) -> Facts:
    """Return what a document says from its record in `facts.json`."""
    fields = {name: record[name] for name in ("said", "rows", "wrong", "hidden")}
    return Facts(**{name: tuple(map(_as_tuple, values)) for name, values in fields.items()})


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def columns_of(reader: str, folder: Path, verbose: bool) -> dict[str, Column]:
    """Return the figures of a reader by the formats of documents, and in all."""
    results = folder / f"by-{reader}"
    costs = json.loads((results / "costs.json").read_text("utf-8"))
    columns: dict[str, Column] = defaultdict(Column)
    for name, record in json.loads((folder / "facts.json").read_text("utf-8")).items():
        if name not in costs:
            continue
        verdict = judge((results / f"{name}.md").read_text("utf-8"), facts_of(record))
        for column in (Path(name).suffix, "all"):
            columns[column].add(verdict, costs[name])
        if verbose and verdict != Verdict():
            print(f"{reader}: {name} ({record['writer']}): {verdict}")
    return columns


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("writers")
    parser.add_argument("folder", type=Path)
    parser.add_argument("readers", nargs="*", metavar="NAME=PYTHON")
    parser.add_argument("--verbose", action="store_true", help="name what is not right in each document")
    asked = parser.parse_args()
    folder: Path = asked.folder.absolute()
    if not (folder / "facts.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([asked.writers, "-m", "tests.tools.documents.writing", str(folder)], check=True, cwd=ROOT)
    pythons = {"tandem": sys.executable, "pandoc": sys.executable}
    pythons |= dict(reader.split("=", 1) for reader in asked.readers)
    tables: dict[str, dict[str, Column]] = {}
    for reader, python in pythons.items():
        command = [
            python,
            str(Path(__file__).with_name("reading.py")),
            reader,
            str(folder),
            str(folder / f"by-{reader}"),
        ]
        subprocess.run(command, check=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT), **_variables()})
        tables[reader] = columns_of(reader, folder, asked.verbose)
    print("lost/doubled/wrong/hidden but read, seconds of computing a document, most MB")
    print("| Format | Documents | " + " | ".join(tables) + " |")
    print("| --- |" + " --- |" * (len(tables) + 1))
    for suffix in [*sorted({f".{suffix}" for suffix in SUFFIXES["tandem"].split()}), "all"]:
        cells = [str(columns[suffix]) for columns in tables.values()]
        print(f"| {suffix.lstrip('.')} | {tables['tandem'][suffix].documents} | {' | '.join(cells)} |")


def _variables() -> dict[str, str]:
    """Return the variables that the readers need."""
    return {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}


if __name__ == "__main__":
    main()
