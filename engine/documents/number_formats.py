"""Numbers as the formats of spreadsheets show them, with "." and "," as in English; dates by ISO 8601."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

# The formats that are built in, by their numbers; those of dates in all languages have one form here.
BUILT_IN = dict.fromkeys((*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), "d") | {46: "[h]:mm:ss"}
BUILT_IN |= {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 48: "0.0E+0"}
BUILT_IN |= dict.fromkeys((5, 6, 42), "$#,##0;($#,##0)") | dict.fromkeys((7, 8, 44), "$#,##0.00;($#,##0.00)")
BUILT_IN |= dict.fromkeys((37, 38, 41), "#,##0;(#,##0)") | dict.fromkeys((39, 40, 43), "#,##0.00;(#,##0.00)")
_TOKEN = re.compile(
    r"""(?P<next>;) | "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | _.(?P<space>) | \*.
    | \[\$(?P<currency>[^\]-]*)[^\]]*\] | (?P<time>\[[hms]+\]|[ymdhs年月日]+) | \[[^\]]*\]
    | (?P<digits>General|@|[0#?.][0#?.,]*(?:E[+-][0#?]+)?) | (?P<other>.)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def shown(number: float, code: str, first: datetime = datetime(1899, 12, 30)) -> str:
    """Return a number as the format `code` shows it, "" if this hides it; `first` is the day 0 of its dates."""
    sections = _sections(code)
    index = 1 if number < 0 else 2 if number == 0 else 0
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
    return len(sections) == 4 and not sections[3]


@lru_cache
def _sections(code: str) -> list[list[tuple[str, str]]]:
    """Return the kinds of the tokens of each section, and what of them is shown."""
    sections = [list[tuple[str, str]]()]
    # Sections for some numbers are not followed.
    for found in _TOKEN.finditer("" if re.search(r"\[[<>=]", code) else code):
        if (kind := found.lastgroup) == "next":
            sections.append([])
        elif kind is not None:
            sections[-1].append((kind, found[kind] or " "))
    # The fourth is for text.
    return sections[:3]


def _shown(section: list[tuple[str, str]], number: float, first: datetime) -> str:
    kinds = [kind for kind, _ in section]
    if "time" in kinds:
        return _time(number, first, is_elapsed=any(kind == "time" and "[" in text for kind, text in section))
    # Fractions, and numbers for telephones.
    if kinds.count("digits") > 1:
        raise ValueError
    exact = abs(Decimal(repr(number))).scaleb(2 * section.count(("other", "%")))
    texts = [_digits(exact, text) if kind == "digits" else text for kind, text in section]
    whole = "".join(texts).strip()
    return f"-{whole}" if number < 0 and re.search("[1-9]", whole) else whole


def _digits(number: Decimal, pattern: str) -> str:
    if pattern[0] not in "0#?.":
        return f"{float(number):.15g}"
    whole, _, places = pattern.rstrip(",").partition(".")
    if "E" in pattern.upper():
        return f"{float(number):.{len(places.upper().partition('E')[0])}E}"
    # Commas at the end are thousands that are left out, others separate them.
    number = number.scaleb(-3 * (len(pattern) - len(pattern.rstrip(","))))
    rounded = number.quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP)
    digits, _, after = f"{rounded:{',' if ',' in whole else ''}f}".partition(".")
    fixed = len(places.rstrip("#?"))
    after = after[:fixed] + after[fixed:].rstrip("0")
    digits = digits.zfill(whole.count("0")) if digits != "0" or "0" in whole else ""
    return f"{digits}.{after}" if after else digits


def _time(number: float, first: datetime, *, is_elapsed: bool) -> str:
    seconds = round(number * 86_400)
    if is_elapsed:
        return f"{'-' if seconds < 0 else ''}{abs(seconds) // 3600}:{abs(seconds) // 60 % 60:02}:{abs(seconds) % 60:02}"
    if number < 0:
        raise ValueError
    moment = first + timedelta(seconds=seconds)
    day = moment.date().isoformat()
    clock = moment.time().isoformat()
    return clock if number < 1 else day if clock == "00:00:00" else f"{day} {clock}"
