"""Name commits of a range that should be looked at again: `python -m tests.tools.commits RANGE...`, as for `git log`.

It names those that leave the code of their files as it was and make them shorter, because words or layout went only to
save lines, and those after which an `assert` or a `raise` is gone, and is in no other file of the commit: a guard may
have gone by accident. For these it reads the Python files of app and engine. It also names those whose subjects have an
"and", which may stand between two changes. It fails nothing, because history stays.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.source_files import is_docstring

ROOT = Path(__file__).resolve().parents[2]


class Change(NamedTuple):
    """A file before and after a commit; "" where it was not there."""

    before: str
    after: str


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, encoding="utf-8").stdout


def changes_of(commit: str) -> Iterator[Change]:
    for line in git("diff-tree", "-r", "-M", "--no-commit-id", commit, "--", "app", "engine").splitlines():
        description, path, *_ = line.split("\t")
        _, _, before, after, _ = description.split()
        if path.endswith(".py"):
            yield Change(blob(before), blob(after))


def blob(name: str) -> str:
    return git("cat-file", "blob", name) if name.strip("0") else ""


def code_of(source: str) -> str:
    """Return a form of the code in which comments, docstrings and layout make no difference."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and is_docstring(body[0]):
            del body[0]
    return ast.dump(tree)


def only_saves_lines(changes: Sequence[Change]) -> bool:
    saved = sum(change.before.count("\n") - change.after.count("\n") for change in changes)
    return saved > 0 and all(code_of(change.before) == code_of(change.after) for change in changes)


def guards_of(source: str) -> Iterator[str]:
    """Yield each `assert`, and each `raise` with the class of its error: its words may change."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Assert(test=test):
                yield f"assert {ast.unparse(test)}"
            case ast.Raise(exc=ast.Call(func=error)) | ast.Raise(exc=ast.expr() as error):
                yield f"raise {ast.unparse(error)}"


def removed_guards(changes: Sequence[Change]) -> list[str]:
    """Return the guards of which there are fewer after all changes, so that one that moves is not named."""
    counts = Counter[str]()
    for change in changes:
        counts.update(guards_of(change.before))
        counts.subtract(guards_of(change.after))
    return sorted(guard for guard, count in counts.items() if count > 0)


def remarks(changes: Sequence[Change]) -> Iterator[str]:
    if only_saves_lines(changes):
        yield "has the same code as before in fewer lines"
    guards = removed_guards(changes)
    if guards:
        yield f"removes {', '.join(guards)}"


def may_join_two_things(subject: str) -> bool:
    """Whether what a subject says of the change has an "and"; the name of the part, before the colon, may have one."""
    part, _, change = subject.partition(": ")
    return " and " in (change or part)


def main(arguments: Sequence[str]) -> None:
    for line in git("log", "--no-merges", "--format=%H %s", *arguments).splitlines():
        commit, _, subject = line.partition(" ")
        if may_join_two_things(subject):
            print(f"{commit[:8]} may join two things: {subject}")
        for remark in remarks(list(changes_of(commit))):
            print(f"{commit[:8]} {remark}: {subject}")


if __name__ == "__main__":
    main(sys.argv[1:])
