"""Letters that are raised, lowered or struck out, in Markdown: `10^6`, `y^(n+1)`, `101_2` and `~~100 EUR~~`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple


class Letters(NamedTuple):
    """How letters are set: above the line or below it, or with a line through them."""

    raised: bool = False
    struck: bool = False
    lowered: bool = False


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
# What needs no brackets: a number, the charge of an ion, the mark of a note, one letter.
_SIMPLE = re.compile(r"[-−+]?\d+(?:[.,]\d+)*[-−+)]?|[-−+]?\w")


def marked(runs: Iterable[Run]) -> str:
    """Return the words of runs in Markdown. Runs that are set in the same way share their marks."""
    said = [run for run in runs if run.words]
    parts: list[str] = []
    place = 0
    for is_struck, group in groupby(said, lambda run: run.letters.struck):
        members = list(group)
        place += len(members)
        following = said[place].words if place < len(said) else ""
        words = _with_heights(members, following)
        parts.append(_struck(words) if is_struck else words)
    return "".join(parts)


def _with_heights(runs: list[Run], following: str) -> str:
    """Return the words of runs that are all struck or all not, with the marks of raised and lowered ones.

    `following` are the words after these runs.
    """
    joined = [
        Run("".join(run.words for run in group), letters) for letters, group in groupby(runs, lambda run: run.letters)
    ]
    written = ""
    for place, run in enumerate(joined):
        after = joined[place + 1] if place + 1 < len(joined) else Run(following)
        if run.letters.raised:
            written += _raised(run.words, after.words)
        elif run.letters.lowered:
            # A raised number begins with "^", so it does not read as a part of the lowered one.
            written += _lowered(run.words, written[-1:], "" if after.letters.raised else after.words)
        else:
            written += run.words
    return written


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


def _lowered(words: str, before: str, following: str) -> str:
    """Return lowered words, after "_" if they would read as digits of the number before or after them."""
    core = words.strip()
    goes_on = core[-1:].isdigit() and words.endswith(core) and following[:1].isdigit()
    if not goes_on and not (before.isdigit() and words[:1].isdigit()):
        return words
    return words.replace(core, f"_({core})" if goes_on else f"_{core}", 1)


def _goes_on(core: str, following: str) -> bool:
    """Return whether what follows would read as a part of the exponent."""
    last = core[-1:]
    first = following[:1]
    return (last.isdigit() and first.isdigit()) or (last.isalpha() and first.isalpha())


def _is_bracketed(core: str) -> bool:
    return core.startswith("(") and core.find(")") == len(core) - 1


def _struck(words: str) -> str:
    """Return words with the marks of struck text on each line, within its spaces: Markdown knows them only there."""
    return "\n".join(map(_struck_line, words.split("\n")))


def _struck_line(line: str) -> str:
    core = line.strip()
    return line.replace(core, f"~~{core}~~", 1) if core else line
