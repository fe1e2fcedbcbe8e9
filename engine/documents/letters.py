"""Letters that are raised or struck out, in Markdown: `10^6`, `y^(n+1)` and `~~100 EUR~~`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple


class Letters(NamedTuple):
    """How letters are set: above the line, or with a line through them."""

    raised: bool = False
    struck: bool = False


class Run(NamedTuple):
    """Words whose letters are all set in the same way."""

    words: str
    letters: Letters = Letters()


PLAIN = Letters()
# Raised letters that change a number or a variable. Ordinals ("1st"), marks ("TM", "*", "[3]") and words do not.
_EXPONENT = re.compile(
    r"""[-−+]?\d.* | [-−+(]*\w\)*          # a number and what follows it; one letter
    | [-−+]\w{2,3}                         # several variables with a sign
    | [-−+(]*\w{1,2}(?:[-−–+*·×/,=^()]+\w{0,2})+""",
    re.VERBOSE | re.DOTALL,
)
_GREEK = re.compile("[α-ωΑ-Ω]")
_WORD = re.compile(r"[^\W\d_]{4}")
# What needs no brackets: a number, the charge of an ion, one letter.
_SIMPLE = re.compile(r"[-−+]?\d+(?:[.,]\d+)*[-−+]?|[-−+]?\w")


def marked(runs: Iterable[Run]) -> str:
    """Return the words of runs in Markdown. Runs that are set in the same way share their marks."""
    said = [run for run in runs if run.words]
    parts: list[str] = []
    place = 0
    for is_struck, group in groupby(said, lambda run: run.letters.struck):
        members = list(group)
        place += len(members)
        following = said[place].words if place < len(said) else ""
        words = _with_exponents(members, following)
        parts.append(_struck(words) if is_struck else words)
    return "".join(parts)


def _with_exponents(runs: list[Run], following: str) -> str:
    joined = [
        Run("".join(run.words for run in group), letters) for letters, group in groupby(runs, lambda run: run.letters)
    ]
    parts: list[str] = []
    for run, after in zip(joined, [*(run.words for run in joined[1:]), following], strict=True):
        parts.append(_raised(run.words, after) if run.letters.raised else run.words)
    return "".join(parts)


def _raised(words: str, following: str) -> str:
    """Return raised words, after "^" if they are an exponent; `following` is what goes on beside them."""
    core = words.strip()
    is_exponent = _EXPONENT.fullmatch(core) or (core and _GREEK.search(core))
    if not is_exponent or _WORD.search(core):
        return words
    before, _, after = words.partition(core)
    goes_on = not after and _goes_on(core, following)
    if _is_bracketed(core) or (_SIMPLE.fullmatch(core) and not goes_on):
        return f"{before}^{core}{after}"
    return f"{before}^({core}){after}"


def _goes_on(core: str, following: str) -> bool:
    """Return whether what follows would read as a part of the exponent."""
    last, first = core[-1:], following[:1]
    return (last.isdigit() and first.isdigit()) or (last.isalpha() and first.isalpha())


def _is_bracketed(core: str) -> bool:
    return core.startswith("(") and core.find(")") == len(core) - 1


def _struck(words: str) -> str:
    """Return words with the marks of struck text on each line, within its spaces: Markdown knows them only there."""
    return "\n".join(map(_struck_line, words.split("\n")))


def _struck_line(line: str) -> str:
    core = line.strip()
    return line.replace(core, f"~~{core}~~", 1) if core else line
