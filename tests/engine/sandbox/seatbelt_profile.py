"""Stands for macOS's Seatbelt: it reads a profile and says what it allows. It refuses what it does not know.

The names of operations and filters are those of profiles that macOS itself has in /System/Library/Sandbox/Profiles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

OPERATIONS = frozenset(
    {
        *("default", "file-read*", "file-read-data", "file-write*", "network*", "process-fork", "process-exec*"),
        *("lsopen", "appleevent-send", "job-creation", "mach-lookup", "signal"),
    }
)
_TOKEN = re.compile(r'\s*(?:([()])|#"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)"|([^\s()"]+))')

Expression = list["Expression | str"]


class ProfileError(ValueError):
    """Seatbelt would not take the profile."""


@dataclass(frozen=True)
class Profile:
    """The rules of a profile in their order: whether one allows, its operation, and its filters."""

    rules: list[tuple[bool, str, Expression]]

    def allows(self, operation: str, value: str = "") -> bool:
        """Return whether an operation on a path, a service or a socket's path is allowed: the last rule counts."""
        allowed = False
        for allows, pattern, filters in self.rules:
            covers = pattern == "default" or fnmatchcase(operation, pattern)
            if covers and (not filters or any(_fits(each, value) for each in filters)):
                allowed = allows
        return allowed


def parse(source: str) -> Profile:
    """Return the profile of its text. Raises `ProfileError`."""
    expressions = list(_expressions(source))
    if not expressions or expressions[0] != ["version", "1"]:
        raise ProfileError("no version")
    rules = []
    for expression in expressions[1:]:
        decision, operation, *filters = expression
        operations = [operation]
        while filters and isinstance(filters[0], str):
            operations.append(filters.pop(0))
        for name in operations:
            if decision not in ("allow", "deny") or not isinstance(name, str) or name not in OPERATIONS:
                raise ProfileError(f"unknown: {decision} {name}")
            for each in filters:
                _fits(each, "")
            rules.append((decision == "allow", name, filters))
    return Profile(rules)


def _expressions(source: str) -> Iterator[Expression]:
    stack: list[Expression] = []
    place = 0
    while source[place:].strip():
        match = _TOKEN.match(source, place)
        if match is None:
            raise ProfileError(source[place : place + 40])
        place = match.end()
        bracket, regex, text, word = match.groups()
        if bracket == "(":
            stack.append([])
            continue
        if not stack:
            raise ProfileError("a word outside of rules")
        if bracket == ")":
            done = stack.pop()
            if not stack:
                yield done
                continue
            stack[-1].append(done)
        elif word is not None:
            stack[-1].append(word)
        else:
            # In expressions, backslashes are those of the expression.
            stack[-1].append(regex if regex is not None else re.sub(r"\\(.)", r"\1", text))
    if stack:
        raise ProfileError("a rule without an end")


def _fits(filter_: Expression | str, value: str) -> bool:
    """Return whether a filter applies to a value. Raises `ProfileError` for an unknown one."""
    match filter_:
        case ["subpath", str(path)]:
            if not path.startswith("/") or (path.endswith("/") and path != "/"):
                raise ProfileError(f"no path: {path}")
            return value == path or value.startswith(path.rstrip("/") + "/")
        case ["literal" | "global-name", str(text)]:
            return value == text
        case ["regex", str(expression)]:
            return re.search(expression, value) is not None
        case ["local" | "remote", "unix-socket", each]:
            return _fits(each, value)
        case ["target", "same-sandbox"]:
            return value == "same-sandbox"
    raise ProfileError(f"unknown: {filter_}")
