"""Numbers as the formats of spreadsheets show them, with "." and "," as in English; dates by ISO 8601."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

# The formats that are built in, by their numbers; those of dates in all languages have one form here.
BUILT_IN = dict.fromkeys((*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), "d") | {46: "[h]:mm:ss"}
BUILT_IN |= {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 48: "0.0E+0"}
BUILT_IN |= dict.fromkeys((5, 6, 42), "$#,##0;($#,##0)") | dict.fromkeys((7, 8, 44), "$#,##0.00;($#,##0.00)")
BUILT_IN |= dict.fromkeys((37, 38, 41), "#,##0;(#,##0)") | dict.fromkeys((39, 40, 43), "#,##0.00;(#,##0.00)")
_TOKEN = re.compile(
    r"""(?P<next>;) | "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | _.(?P<space>) | \*. | (?P<general>General|@)
    | \[\$(?P<currency>[^\]-]*)[^\]]*\] | (?P<time>\[[hms]+\]|[ymdhs年月日]+) | \[[^\]]*\]
    | (?P<digits>[0#?.][0#?.,]*(?:E[+-][0#?]+)?) | (?P<other>.)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
# Sections for some numbers, and fractions: such formats are not followed.
_NOT_FOLLOWED = re.compile(r"\[[<>=]|[0#?]\s*/")
_SECONDS = {"h": 3600, "m": 60, "s": 1}
# Larger ones have more digits than a cell, and none after the point.
_LARGEST = 1e15
# The kinds of the tokens of a section, and what of them is shown.
_Tokens = list[tuple[str, str]]


def shown(number: float, code: str, first: datetime = datetime(1899, 12, 30)) -> str:
    """Return a number as the format `code` shows it; `first` is the day 0 of its dates."""
    sections = _sections(code)
    index = 1 if number < 0 else 2 if number == 0 else 0
    section = sections[index if index < len(sections) else 0]
    # The second section writes the sign itself.
    unsigned = abs(number) if number < 0 and len(sections) > 1 else number
    try:
        if section:
            return _shown(section, unsigned, first)
    # A format may be nonsense, or have more digits than numbers can have here.
    except (ArithmeticError, ValueError):
        pass
    return "" if number == 0 and len(sections) > 1 else f"{number:.15g}"


@lru_cache
def _sections(code: str) -> list[_Tokens]:
    sections: list[_Tokens] = [[]]
    for found in _TOKEN.finditer("" if _NOT_FOLLOWED.search(code) else code):
        if (kind := found.lastgroup) == "next":
            sections.append([])
        elif kind is not None:
            sections[-1].append((kind, found[kind] or " "))
    # The fourth is for text.
    return sections[:3]


def _shown(section: _Tokens, number: float, first: datetime) -> str:
    times = [text for kind, text in section if kind == "time"]
    if times and all(kind != "general" for kind, _ in section):
        is_elapsed = any(text.startswith("[") for text in times)
        return _elapsed(section, number) if is_elapsed else _date(number, first)
    if abs(number) >= _LARGEST:
        return f"{number:.15g}"
    exact = abs(Decimal(repr(number))).scaleb(2 * section.count(("other", "%")))
    fields = [index for index, (kind, _) in enumerate(section) if kind == "digits"]
    texts = [f"{abs(number):.15g}" if kind == "general" else text for kind, text in section]
    # Between the digits of a number for a telephone is text: the first field gets what the others leave.
    for index in reversed(fields[1:]):
        exact, last = divmod(exact.quantize(Decimal(1), ROUND_HALF_UP), 10 ** len(texts[index]))
        texts[index] = str(last).zfill(len(texts[index]))
    if fields:
        texts[fields[0]] = _digits(exact, texts[fields[0]])
    whole = "".join(texts).strip()
    return f"-{whole}" if number < 0 and re.search("[1-9]", whole) else whole


def _digits(number: Decimal, pattern: str) -> str:
    whole, _, places = pattern.rstrip(",").partition(".")
    if "E" in pattern.upper():
        return f"{float(number):.{len(places.upper().partition('E')[0])}E}"
    # Commas at an end are thousands that are left out, others separate them.
    number = number.scaleb(-3 * (len(pattern) - len(pattern.rstrip(",")) + len(whole) - len(whole.rstrip(","))))
    rounded = number.quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP)
    digits, _, after = f"{rounded:{',' if ',' in whole.rstrip(',') else ''}f}".partition(".")
    fixed = len(places.rstrip("#?"))
    after = after[:fixed] + after[fixed:].rstrip("0")
    digits = digits.zfill(whole.count("0")) if digits != "0" or "0" in whole else ""
    return f"{digits}.{after}" if after else digits


def _elapsed(section: _Tokens, number: float) -> str:
    seconds, texts = round(abs(number) * 86_400), ["-" if number < 0 else ""]
    for kind, text in section:
        letters = text.strip("[]").lower()
        if kind == "time" and letters[0] in _SECONDS:
            count = seconds // _SECONDS[letters[0]]
            texts.append(f"{count if text.startswith('[') else count % 60:0{len(letters)}}")
        # Parts of seconds are not shown.
        elif kind != "digits":
            texts.append(text)
    return "".join(texts).strip()


def _date(number: float, first: datetime) -> str:
    if not 0 <= number < 2_958_466:
        return f"{number:.15g}"
    moment = first + timedelta(seconds=round(number * 86_400))
    day, clock = moment.date().isoformat(), moment.time().isoformat()
    return clock if number < 1 else day if clock == "00:00:00" else f"{day} {clock}"
