"""Numbers as the formats of spreadsheets show them, with "." and "," as in English; dates by ISO 8601."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

# The formats that are built in, by their numbers; those of dates in all languages have one form here.
BUILT_IN = dict.fromkeys((*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), "d")
BUILT_IN |= {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?"}
BUILT_IN |= {13: "# ??/??", 46: "[h]:mm:ss", 48: "##0.0E+0"}
BUILT_IN |= dict.fromkeys((5, 6, 42), "$#,##0;($#,##0)") | dict.fromkeys((7, 8, 44), "$#,##0.00;($#,##0.00)")
BUILT_IN |= dict.fromkeys((37, 38, 41), "#,##0;(#,##0)") | dict.fromkeys((39, 40, 43), "#,##0.00;(#,##0.00)")
_TOKEN = re.compile(
    r"""(?P<next>;) | "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | _.(?P<space>) | \*. | (?P<general>General|@)
    | \[\$(?P<currency>[^\]-]*)[^\]]*\] | \[(?P<condition>[<>=]+-?[\d.]+)\] | (?P<time>\[[hms]+\]|[ymdhs年月日]+)
    | \[[^\]]*\] | (?P<digits>[0#?.][0#?.,]*(E[+-][0#?]+|\ *[?#]*/\ *[0-9?#]+)?) | (?P<other>.)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_SECONDS = {"h": 3600, "m": 60, "s": 1}
# Larger ones have more digits than a cell, and none after the point.
_LARGEST = 1e15
_Section = list[tuple[str, str]]


def shown(number: float, code: str, first: datetime = datetime(1899, 12, 30)) -> str:
    """Return a number as the format `code` shows it; `first` is the day 0 of its dates."""
    try:
        sections = _sections(code)
        section, unsigned = _chosen(sections, number)
        if not section:
            return "" if number == 0 and len(sections) > 1 else f"{number:.15g}"
        return _shown(section, unsigned, first)
    # A format may be nonsense, or have more digits than numbers can have here.
    except (ArithmeticError, ValueError):
        return f"{number:.15g}"


def _shown(section: _Section, number: float, first: datetime) -> str:
    kinds = {kind for kind, _ in section}
    if "time" in kinds and "general" not in kinds:
        is_elapsed = any(text.startswith("[") for kind, text in section if kind == "time")
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


@lru_cache
def _sections(code: str) -> list[_Section]:
    """Split a format into its sections, and these into tokens: their kinds and what of them is shown."""
    sections: list[_Section] = [[]]
    for found in _TOKEN.finditer(code):
        if (kind := found.lastgroup) == "next":
            sections.append([])
        elif kind is not None:
            sections[-1].append((kind, found[kind] or " "))
    return sections


def _chosen(sections: list[_Section], number: float) -> tuple[_Section, float]:
    """Return the section for a number, and the number without the sign that the section writes itself."""
    # The fourth is for text.
    sections = sections[:3]
    conditions = [next((text for kind, text in one if kind == "condition"), "") for one in sections]
    if not any(conditions):
        conditions = [["", ">=0", ">0"][len(sections) - 1], "<0"]
    for condition, section in zip(conditions, sections, strict=False):
        if condition and _holds(condition, number):
            return [one for one in section if one[0] != "condition"], abs(number)
    return sections[-1], number


def _holds(condition: str, number: float) -> bool:
    sign = condition.rstrip("-.0123456789")
    limit = float(condition[len(sign) :])
    return ("<" in sign and number < limit) or (">" in sign and number > limit) or (sign[-1] == "=" and number == limit)


def _digits(number: Decimal, pattern: str) -> str:
    if "/" in pattern:
        return _fraction(number, pattern)
    mantissa, power, exponent = pattern.upper().partition("E")
    if power:
        decimals = len(mantissa.partition(".")[2])
        digits, _, shift = f"{number:.{decimals}e}".partition("e")
        return f"{digits}E{shift[0].replace('+', exponent[0].strip('-'))}{shift[1:].zfill(exponent.count('0'))}"
    whole, _, places = pattern.rstrip(",").partition(".")
    # Commas at an end are thousands that are left out, others separate them.
    number = number.scaleb(-3 * (len(pattern) - len(pattern.rstrip(",")) + len(whole) - len(whole.rstrip(","))))
    grouping = "," if "," in whole.rstrip(",") else ""
    rounded = number.quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP)
    digits, _, after = f"{rounded:{grouping}f}".partition(".")
    fixed = len(places.rstrip("#?"))
    after = after[:fixed] + after[fixed:].rstrip("0")
    digits = digits.zfill(whole.count("0")) if digits != "0" or "0" in whole else ""
    return f"{digits}.{after}" if after else digits


def _fraction(number: Decimal, pattern: str) -> str:
    largest = pattern.rpartition("/")[2].strip()
    near = Fraction(number).limit_denominator(int(largest) if largest.isdecimal() else 10 ** len(largest) - 1)
    whole, over = divmod(near.numerator, near.denominator)
    texts = [str(whole)] if whole or not over else []
    return " ".join([*texts, f"{over}/{near.denominator}"] if over else texts)


def _elapsed(section: _Section, number: float) -> str:
    seconds = round(abs(number) * 86_400)
    texts = list[str]()
    for kind, text in section:
        letters = text.strip("[]").lower()
        if kind == "time" and letters[0] in _SECONDS:
            count = seconds // _SECONDS[letters[0]]
            text = f"{count if text.startswith('[') else count % 60:0{len(letters)}}"
        # Parts of seconds are not shown.
        texts.append("" if kind == "digits" else text)
    return ("-" if number < 0 else "") + "".join(texts).strip()


def _date(number: float, first: datetime) -> str:
    if not 0 <= number < 2_958_466:
        return f"{number:.15g}"
    moment = first + timedelta(seconds=round(number * 86_400))
    day, clock = moment.date().isoformat(), moment.time().isoformat()
    return clock if number < 1 else day if clock == "00:00:00" else f"{day} {clock}"
