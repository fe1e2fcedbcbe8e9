"""Numbers as the formats of spreadsheets show them, with "." and "," as in English; dates by ISO 8601."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple


class _FormatToken(NamedTuple):
    """A part of a format: its kind, by the groups of `_TOKEN`, and its text or what is shown for it."""

    kind: str
    text: str


# The formats that are built in, by their numbers; those of dates in all languages have one form here.
BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    **dict.fromkeys((5, 6, 42), "$#,##0;($#,##0)"),
    **dict.fromkeys((7, 8, 44), "$#,##0.00;($#,##0.00)"),
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    **dict.fromkeys((*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), "d"),
    **dict.fromkeys((37, 38, 41), "#,##0;(#,##0)"),
    **dict.fromkeys((39, 40, 43), "#,##0.00;(#,##0.00)"),
    46: "[h]:mm:ss",
    48: "0.0E+0",
}
# Formats that have other sections for some numbers. These are not followed.
_HAS_CONDITIONS = re.compile(r"\[[<>=]")
_TEXT_SECTION = 3
_TOKEN = re.compile(
    r"""(?P<next>;) | "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | _.(?P<space>) | \*.
    | \[\$(?P<currency>[^\]-]*)[^\]]*\] | (?P<time>\[[hms]+\]|[ymdhs年月日]+) | \[[^\]]*\]
    | (?P<digits>General|@|[0#?.][0#?.,]*(?:E[+-][0#?]+)?) | (?P<other>.)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def shown(number: float, code: str, first: datetime = datetime(1899, 12, 30)) -> str:
    """Return a number as the format `code` shows it, "" if this hides it; `first` is the day 0 of its dates.

    -2.5 is "-2.50" in "0.00", and "(3)" in "0;(0)", whose second section is for negative numbers.
    """
    sections = _sections(code)
    index = _section_for(number)
    section = sections[index if index < len(sections) else 0]
    # One of several sections that is empty hides its numbers.
    if not section and len(sections) > 1:
        return ""
    # A format may be nonsense, or have more digits than numbers can have here.
    with suppress(ArithmeticError, ValueError):
        if section:
            # The second section writes the sign itself.
            return _shown(section, abs(number) if len(sections) > 1 else number, first)
    return f"{number:.15g}"


def hides_texts(code: str) -> bool:
    """Return whether a format shows nothing of texts: its fourth section, which is for them, is empty."""
    sections = [section.replace('"', "").strip() for section in code.split(";")]
    return len(sections) == _TEXT_SECTION + 1 and not sections[_TEXT_SECTION]


def _section_for(number: float) -> int:
    """Return which section is for a number: the first for those above 0, then those below, then 0."""
    if number < 0:
        return 1
    return 2 if number == 0 else 0


@lru_cache
def _sections(code: str) -> list[list[_FormatToken]]:
    """Return the tokens of the sections for numbers: up to three, for those above 0, below 0, and 0.

    A format that is not followed has one section without tokens. The lists are cached: do not change them.
    """
    sections = [list[_FormatToken]()]
    for match in _TOKEN.finditer("" if _HAS_CONDITIONS.search(code) else code):
        kind = match.lastgroup
        if kind == "next":
            sections.append([])
        # Without a kind: fillings ("*x") and brackets such as [Red], which show nothing.
        elif kind is not None:
            # "_x" is a space as wide as x.
            sections[-1].append(_FormatToken(kind, " " if kind == "space" else match[kind]))
    return sections[:_TEXT_SECTION]


def _shown(section: list[_FormatToken], number: float, first: datetime) -> str:
    """Return a number as a section shows it. Raises `ValueError` or `ArithmeticError` for what is not followed."""
    kinds = [token.kind for token in section]
    if "time" in kinds:
        is_elapsed = any(token.kind == "time" and "[" in token.text for token in section)
        return _time(number, first, is_elapsed=is_elapsed)
    # Fractions, and numbers for telephones.
    if kinds.count("digits") > 1:
        raise ValueError
    percents = section.count(_FormatToken("other", "%"))
    exact = abs(Decimal(repr(number))).scaleb(2 * percents)
    texts = [_digits(exact, token.text) if token.kind == "digits" else token.text for token in section]
    whole = "".join(texts).strip()
    return f"-{whole}" if number < 0 and re.search("[1-9]", whole) else whole


def _digits(number: Decimal, pattern: str) -> str:
    """Return a number that is not negative with the digits of a pattern, such as "#,##0.00" or "0.0E+0"."""
    if pattern[0] not in "0#?.":
        return f"{float(number):.15g}"
    whole, _, places = pattern.rstrip(",").partition(".")
    if "E" in pattern.upper():
        return f"{float(number):.{len(places.upper().partition('E')[0])}E}"
    # Commas at the end are thousands that are left out, others separate them.
    number = number.scaleb(-3 * (len(pattern) - len(pattern.rstrip(","))))
    rounded = number.quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP)
    separator = "," if "," in whole else ""
    digits, _, after = f"{rounded:{separator}f}".partition(".")
    # Of the places, those with "#" or "?" at the end are shown only if they are not 0.
    fixed = len(places.rstrip("#?"))
    after = after[:fixed] + after[fixed:].rstrip("0")
    has_digit = digits != "0" or "0" in whole
    digits = digits.zfill(whole.count("0")) if has_digit else ""
    return f"{digits}.{after}" if after else digits


def _time(number: float, first: datetime, *, is_elapsed: bool) -> str:
    """Return a number of days as a time that has elapsed, or as what the clock and the calendar show."""
    seconds = round(number * 86_400)
    if is_elapsed:
        sign = "-" if seconds < 0 else ""
        minutes, second = divmod(abs(seconds), 60)
        return f"{sign}{minutes // 60}:{minutes % 60:02}:{second:02}"
    if number < 0:
        raise ValueError
    moment = first + timedelta(seconds=seconds)
    day = moment.date().isoformat()
    clock = moment.time().isoformat()
    if number < 1:
        return clock
    return day if clock == "00:00:00" else f"{day} {clock}"
