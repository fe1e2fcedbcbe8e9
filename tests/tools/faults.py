"""Seeded faults in the production code, and whether the suite finds them.

    python -m tests.tools.faults make --count 200 --seed 1 > faults.json
    python -m pytest -n 2 -m "not campaign and not real" --cov --cov-context=test --cov-report= \\
        --durations=0 > durations.txt
    python -m tests.tools.faults try faults.json --coverage .coverage --durations durations.txt > found.jsonl

Each fault is tried in a copy of the last commit, on the tests that run its line, the nearest first, for about a minute
of tests at most. `--select` limits the tests to a tier. A fault names its place by function and code, so that the same
faults can be tried on a later commit; one whose code has changed counts as gone.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import queue
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "app")
BUDGET_S = 60.0
NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True)
class SeededFault:
    """`replacement` stands for the `occurrence`-th `original` in `function` ("" is the module) of `file`."""

    kind: str
    file: str
    function: str
    original: str
    occurrence: int
    replacement: str


@dataclass(frozen=True)
class FaultyPlace:
    """A fault in a present text: the lines (from 1) and the offsets of its code in the encoded text."""

    fault: SeededFault
    line: int
    start: int
    end: int


def _changed(node: ast.AST) -> tuple[str, str] | None:
    """The kind of fault that `node` can have, and the faulty code."""
    match node:
        case ast.Compare(left, [operator], [right]):
            return "comparison", ast.unparse(ast.Compare(left, [NEGATED[type(operator)]()], [right]))
        case ast.Constant(bool(value)):
            return "constant", str(not value)
        case ast.Constant(int(number)):
            return "constant", str(number + 1)
        case ast.Constant(float(number)):
            return "constant", str(2 * number or 1.0)
        case ast.Raise() | ast.Continue() | ast.Break() | ast.AugAssign():
            return "statement", "pass"
        case ast.Expr(ast.Call(function)) if not ast.unparse(function).startswith(("log.", "logger.", "_log.")):
            return "statement", "pass"
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            return "statement", "pass"
    return None


def _nodes(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, str]]:
    """Yield `node` and what is in it, each with the name of its function; annotations and patterns are left out."""
    yield node, function
    if isinstance(node, ast.JoinedStr):
        # Python 3.11 gives no true places for what is in an f-string.
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "pattern"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                yield from _nodes(child, f"{function}.{child.name}".lstrip(".") if named else function)


def places(file: str, text: str) -> Iterator[FaultyPlace]:
    """Yield every place of `file` that a fault can be put in."""
    encoded = text.encode()
    line_starts = [0]
    for line in encoded.splitlines(keepends=True):
        line_starts.append(line_starts[-1] + len(line))
    seen: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    for node, function in _nodes(ast.parse(text), ""):
        change = _changed(node)
        if change is None or not isinstance(node, ast.stmt | ast.expr):
            continue
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = line_starts[node.lineno - 1] + node.col_offset
        end = line_starts[node.end_lineno - 1] + node.end_col_offset
        original = encoded[start:end].decode()
        kind, replacement = change
        yield FaultyPlace(
            SeededFault(kind, file, function, original, seen[function, kind, original], replacement),
            node.lineno,
            start,
            end,
        )
        seen[function, kind, original] += 1


def make(count: int, seed: int) -> list[SeededFault]:
    """Return `count` faults of the present code, a third of each kind, at random places."""
    found: defaultdict[str, list[SeededFault]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for place in places(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")):
                found[place.fault.kind].append(place.fault)
    chance = random.Random(seed)
    kinds = sorted(found)
    shares = [count // len(kinds) + (place < count % len(kinds)) for place in range(len(kinds))]
    return [fault for kind, share in zip(kinds, shares, strict=True) for fault in chance.sample(found[kind], share)]


class Suite:
    """The tests that there are, what each runs, and how long each takes."""

    def __init__(self, coverage: str, durations: str, select: str) -> None:
        self._data = CoverageData(coverage)
        self._data.read()
        self._measured = {re.sub(r".*?/((?:engine|app)/.*)", r"\1", name): name for name in self._data.measured_files()}
        self._seconds: defaultdict[str, float] = defaultdict(float)
        for line in Path(durations).read_text(encoding="utf-8").splitlines():
            if entry := re.match(r"([\d.]+)s (?:setup|call|teardown) +(\S.*)", line):
                self._seconds[entry[2]] += float(entry[1])
        listing = subprocess.run(
            [sys.executable, "-m", "pytest", "--collect-only", "-m", select],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        self._of_file: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for test in listing.stdout.splitlines():
            if "::" in test:
                self._of_file[test.partition("::")[0]][test] = None

    def _covering(self, file: str, line: int) -> set[str]:
        by_line = self._data.contexts_by_lineno(self._measured.get(file, file))
        # A line that runs while its module is imported belongs to no test: all tests of the file stand for it.
        contexts = {context for context in by_line.get(line, ()) if context} or set().union(*by_line.values())
        return {context.rpartition("|")[0] for context in contexts if context}

    def tests_for(self, file: str, line: int) -> list[str]:
        """Return the tests that ran `line` of `file`, nearest first, for about `BUDGET_S` seconds.

        A test that is gone stands for all tests of its file, or of its folder where the file is gone, too.
        """
        files: defaultdict[str, set[str]] = defaultdict(set)
        for test in self._covering(file, line):
            name = test.partition("::")[0]
            if name not in self._of_file:
                folder = name.rpartition("/")[0]
                for other in self._of_file:
                    if other.rpartition("/")[0] == folder:
                        files[other].update(self._of_file[other])
            elif test in self._of_file[name]:
                files[name].add(test)
            else:
                files[name].update(self._of_file[name])

        def distance(name: str) -> tuple[int, float]:
            mirrored = Path("tests", file).with_suffix("").parts
            shared = len(
                list(takewhile(lambda pair: pair[0] == pair[1], zip(mirrored, Path(name).parts, strict=False)))
            )
            exact = Path(name).stem.removeprefix("test_") == Path(file).stem
            return -shared - exact, sum(self._seconds[test] for test in files[name]) / len(files[name])

        chosen: list[str] = []
        spent = 0.0
        for name in sorted(files, key=distance):
            for test in sorted(files[name], key=lambda test: self._seconds[test]):
                spent += self._seconds[test] + 0.02
                if spent > BUDGET_S and len(chosen) >= 5:
                    return chosen
                chosen.append(test)
        return chosen


def _copy(folder: Path) -> None:
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
    subprocess.run([sys.executable, "i18n/compile.py"], cwd=folder, check=True)


def _try(fault: SeededFault, tree: Path, suite: Suite, select: str) -> dict[str, object]:
    path = tree / fault.file
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    place = next((place for place in places(fault.file, text) if place.fault == fault), None)
    if place is None:
        return {"outcome": "gone"}
    tests = suite.tests_for(fault.file, place.line)
    if not tests:
        return {"outcome": "not run by any test"}
    encoded = text.encode()
    path.write_bytes(encoded[: place.start] + fault.replacement.encode() + encoded[place.end :])
    listed = tree / "tests-to-run.txt"
    listed.write_text("\n".join(tests), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", select, f"@{listed}"]
    try:
        run = subprocess.run(
            command,
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            capture_output=True,
            text=True,
            timeout=10 * BUDGET_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"outcome": "found", "by": "no end"}
    finally:
        path.write_bytes(encoded)
    if run.returncode in (0, 5):
        return {"outcome": "not found", "tests": len(tests)}
    first = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    return {"outcome": "found", "by": first[1] if first else f"exit code {run.returncode}"}


def try_all(faults: list[SeededFault], suite: Suite, select: str, processes: int) -> None:
    """Print a line of JSON for each of `faults`: the fault, `outcome`, and the test that failed first."""
    waiting: queue.SimpleQueue[SeededFault] = queue.SimpleQueue()
    for fault in faults:
        waiting.put(fault)

    def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            _copy(Path(folder))
            while not waiting.empty():
                fault = waiting.get()
                print(json.dumps(asdict(fault) | _try(fault, Path(folder), suite, select)), flush=True)

    workers = [threading.Thread(target=work) for _ in range(processes)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("--count", type=int, default=200)
    maker.add_argument("--seed", type=int, default=1)
    trier = commands.add_parser("try")
    trier.add_argument("faults", type=Path)
    trier.add_argument("--coverage", default=".coverage")
    trier.add_argument("--durations", default="durations.txt")
    trier.add_argument("--select", default="not campaign and not real")
    trier.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.command == "make":
        print(json.dumps([asdict(fault) for fault in make(arguments.count, arguments.seed)], indent=1))
        return
    faults = [SeededFault(**entry) for entry in json.loads(arguments.faults.read_text(encoding="utf-8"))]
    suite = Suite(arguments.coverage, arguments.durations, arguments.select)
    try_all(faults, suite, arguments.select, arguments.processes)


if __name__ == "__main__":
    main()
