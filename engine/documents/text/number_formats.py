"""Numbers as the formats of spreadsheets show them, with "." and "," as in English; dates by ISO 8601."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple


class _FormatToken(NamedTuple):
    """A part of a format: its kind, by the groups of `_TOKEN`, and its text or what is shown for it."""

    kind: str
    text: str


class _FormatCondition(NamedTuple):
    """The numbers that a section is for: those that compare by a sign, such as "<=", with a limit."""

    sign: str
    limit: float

    def holds_for(self, number: float) -> bool:
        return _COMPARISONS[self.sign](number, self.limit)


class _FormatSection(NamedTuple):
    """The tokens of a section, and the numbers that it is for."""

    tokens: tuple[_FormatToken, ...]
    # None if its place among the sections says that.
    condition: _FormatCondition | None
    # Whether it is for negative numbers only, so that it writes the sign itself.
    is_for_negatives: bool
    # The name of the colour that its numbers have, in small letters; "" for the cell's colour.
    colour: str


# The formats that are built in, by their numbers; dates of all languages have one form here.
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
    48: "##0.0E+0",
}
# The day 0 of dates; until 1900-03-01, Excel counts a day that there was not. Workbooks of old Macs have the second.
DAY_0 = datetime(1899, 12, 30)
DAY_0_OF_1904 = datetime(1904, 1, 1)
# A section that is for some numbers only, such as "[>=1000]".
_CONDITION = re.compile(r"\[\s*(?P<sign><=|>=|<>|<|>|=)\s*(?P<limit>-?\d+(?:\.\d+)?)\s*\]")
_COLOUR = re.compile(r"\[(black|blue|cyan|green|magenta|red|white|yellow|color) ?(\d{0,2})\]", re.IGNORECASE)
# The colours with numbers that are white and black.
_NUMBERED_COLOURS = {"color2": "white", "color1": "black"}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "<>": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
# The places before groups of three digits.
_THOUSANDS = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")
_FRACTION = re.compile(
    r"(?P<before>[^#0?]*)(?:(?P<whole>[#0?]+) +)?[#0?]+ */ *(?P<below>[#0?]+|\d+)(?P<after>[^#0?/]*)", re.DOTALL
)
# Fractions have at most this many digits below the line.
_MOST_FRACTION_DIGITS = 4
_SCIENTIFIC = re.compile(r"(?P<mantissa>[0#?.]+)E(?P<sign>[+-])(?P<exponent>[0#?]+)", re.IGNORECASE)
_TEXT_SECTION = 3
_TOKEN = re.compile(
    r"""(?P<next>;) | "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | _.(?P<space>) | \*.
    | \[\$(?P<currency>[^\]-]*)[^\]]*\] | (?P<time>\[[hms]+\]|[ymdhs年月日]+|a{3,4}) | \[[^\]]*\]
    | (?P<digits>General|@|[0#?.][0#?.,]*(?:E[+-][0#?]+)?) | (?P<other>.)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def shown(number: float, code: str, first: datetime = DAY_0) -> str:
    """Return a number as the format `code` shows it, "" if this hides it; `first` is the day 0 of its dates.

    -2.5 is "-2.50" in "0.00", and "(3)" in "0;(0)", whose second section is for negative numbers.
    """
    sections = _sections(code)
    section = _section_for(number, sections)
    # An empty section hides its numbers, unless it is the only one.
    if section is not None and not section.tokens and len(sections) > 1:
        return ""
    # A format may be nonsense, or have more digits than numbers can have here.
    with suppress(ArithmeticError, ValueError):
        if section is not None and section.tokens:
            writes_sign = len(sections) > 1 and section.is_for_negatives
            return _shown(section.tokens, abs(number) if writes_sign else number, first)
    return f"{number:.15g}"


def colour_name(number: float, code: str) -> str:
    """Return the name of the colour that the format `code` gives a number, such as "white"; "" if it gives none.

    A colour that only has a number is "color7" and so on, unless it is white or black.
    """
    section = _section_for(number, _sections(code))
    return section.colour if section is not None else ""


def hides_texts(code: str) -> bool:
    """Return whether a format hides texts: its fourth section, the one for texts, is empty."""
    sections = [section.replace('"', "").strip() for section in code.split(";")]
    return len(sections) == _TEXT_SECTION + 1 and not sections[_TEXT_SECTION]


def _section_for(number: float, sections: Sequence[_FormatSection]) -> _FormatSection | None:
    """Return the section for a number; None if no section is for it.

    Without conditions, the first section is for numbers above 0, the second for numbers below 0, and the third for 0.
    If any section has a condition, the first section that accepts the number is used.
    """
    if not any(section.condition for section in sections):
        place = _usual_place(number)
        return sections[place] if place < len(sections) else sections[0]
    return next((section for section in sections if _is_for(section, number)), None)


def _usual_place(number: float) -> int:
    """Return the place of the section for a number where no section has a condition."""
    if number < 0:
        return 1
    return 2 if number == 0 else 0


def _is_for(section: _FormatSection, number: float) -> bool:
    """Return whether a section accepts a number, in a format with conditions."""
    if section.condition is not None:
        return section.condition.holds_for(number)
    return number < 0 or not section.is_for_negatives


@lru_cache
def _sections(code: str) -> tuple[_FormatSection, ...]:
    """Return the sections for numbers, up to three."""
    tokens: list[list[_FormatToken]] = [[]]
    conditions: list[_FormatCondition | None] = [None]
    colours = [""]
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup
        if kind == "next":
            tokens.append([])
            conditions.append(None)
            colours.append("")
        elif kind is not None:
            # "_x" is a space as wide as x.
            tokens[-1].append(_FormatToken(kind, " " if kind == "space" else match[kind]))
        elif condition := _CONDITION.fullmatch(match[0]):
            conditions[-1] = _FormatCondition(condition["sign"], float(condition["limit"]))
        elif colour := _COLOUR.fullmatch(match[0]):
            name = f"{colour[1]}{colour[2]}".lower()
            colours[-1] = _NUMBERED_COLOURS.get(name, name)
        # Without a kind are also fillings ("*x") and other brackets, which show nothing.
    count = min(len(tokens), _TEXT_SECTION)
    return tuple(
        _FormatSection(
            tuple(tokens[place]), conditions[place], _is_for_negatives(place, count, conditions), colours[place]
        )
        for place in range(count)
    )


def _is_for_negatives(place: int, count: int, conditions: Sequence[_FormatCondition | None]) -> bool:
    """Return whether section `place` of `count` is only for numbers below 0."""
    condition = conditions[place]
    if condition is not None:
        return condition.limit <= 0 and condition.sign == "<"
    # If there are two sections and the first has a condition, the second is for all other numbers.
    return place == 1 and (count > 2 or conditions[0] is None)


def _shown(section: Sequence[_FormatToken], number: float, first: datetime) -> str:
    """Return a number as a section shows it.

    Raises `ValueError` or `ArithmeticError` for a format that is not supported, or a number that it cannot show.
    """
    kinds = [token.kind for token in section]
    if "time" in kinds:
        is_elapsed = any(token.kind == "time" and "[" in token.text for token in section)
        return _time(number, first, is_elapsed=is_elapsed)
    has_fraction = _FormatToken("other", "/") in section
    if has_fraction or kinds.count("digits") > 1:
        text = _fraction(section, abs(number)) if has_fraction else _groups(section, number)
        return _with_sign(text, number)
    percents = section.count(_FormatToken("other", "%"))
    exact = abs(Decimal(repr(number))).scaleb(2 * percents)
    texts = [_digits(exact, token.text) if token.kind == "digits" else token.text for token in section]
    return _with_sign("".join(texts).strip(), number)


def _with_sign(text: str, number: float) -> str:
    """Return the text of a number with its sign; what is rounded to zero has none, as in "0.00" for -0.001."""
    return f"-{text}" if number < 0 and re.search("[1-9]", text) else text


def _groups(section: Sequence[_FormatToken], number: float) -> str:
    """Return the digits of a number in several groups, such as the digits of a telephone: "000-0000-0000".

    The number is rounded, and has no sign. The groups are filled from the last one on; the first one also gets the
    digits for which no group has a place. Raises `ValueError` for groups that are not followed.
    """
    digits = str(Decimal(repr(abs(number))).quantize(Decimal(1), ROUND_HALF_UP))
    texts: list[str] = []
    first_group = 0
    for token in reversed(section):
        if token.kind != "digits":
            texts.append(token.text)
            continue
        # A group may also have a point or commas, or be "General".
        if token.text.strip("0#?"):
            raise ValueError
        places = len(token.text)
        group = digits[-places:]
        digits = digits[:-places]
        missing = token.text[: places - len(group)]
        first_group = len(texts)
        texts.append("0" * missing.count("0") + group)
    texts[first_group] = digits + texts[first_group]
    return "".join(reversed(texts)).strip()


def _fraction(section: Sequence[_FormatToken], number: float) -> str:
    """Return a number that is not negative as a fraction, such as "3 1/2" in "# ?/?" and "1 4/8" in "# ?/8"."""
    form = _FRACTION.fullmatch("".join(token.text for token in section))
    if form is None:
        raise ValueError
    if form["below"].isdigit() and int(form["below"]):
        below = int(form["below"])
        above = round(number * below)
    else:
        nearest = Fraction(number).limit_denominator(10 ** min(len(form["below"]), _MOST_FRACTION_DIGITS) - 1)
        above, below = nearest.as_integer_ratio()
    whole, part = divmod(above, below)
    if form["whole"] is None:
        text = f"{above}/{below}"
    elif part:
        text = f"{whole} {part}/{below}" if whole else f"{part}/{below}"
    else:
        text = str(whole)
    return f"{form['before']}{text}{form['after']}".strip()


def _digits(number: Decimal, pattern: str) -> str:
    """Return a number that is not negative with the digits of a pattern, such as "#,##0.00" or "0.0E+0"."""
    # "General" or "@".
    if pattern[0] not in "0#?.":
        return f"{float(number):.15g}"
    if form := _SCIENTIFIC.fullmatch(pattern):
        return _scientific(number, form)
    shown_pattern = pattern.rstrip(",")
    before_point, _, places = shown_pattern.partition(".")
    whole = before_point.rstrip(",")
    # Each comma at the end, or before the point, divides by 1000; others stand between thousands.
    dividing_commas = len(pattern) - len(shown_pattern) + len(before_point) - len(whole)
    rounded = number.scaleb(-3 * dividing_commas).quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP)
    digits, _, after = f"{rounded:f}".partition(".")
    # Of the places, those with "#" or "?" at the end are shown only if they are not 0.
    fixed = len(places.rstrip("#?"))
    after = after[:fixed] + after[fixed:].rstrip("0")
    has_digit = digits != "0" or "0" in whole
    digits = digits.zfill(whole.count("0")) if has_digit else ""
    if "," in whole:
        digits = _THOUSANDS.sub(",", digits)
    return f"{digits}.{after}" if after else digits


def _scientific(number: Decimal, form: re.Match[str]) -> str:
    """Return a number that is not negative with an exponent, such as "1.2E+4" in "0.0E+0".

    The exponent is a multiple of the places before the point: 12345 is "12.3E+3" in "##0.0E+0".
    """
    step = max(1, len(form["mantissa"].partition(".")[0]))
    exponent = number.adjusted() // step * step if number else 0
    mantissa = _digits(number.scaleb(-exponent), form["mantissa"])
    if Decimal(mantissa or 0) >= 10**step:
        # It was rounded up, as 9.99 to 10.0.
        exponent += step
        mantissa = _digits(number.scaleb(-exponent), form["mantissa"])
    plus = "+" if form["sign"] == "+" else ""
    sign = "-" if exponent < 0 else plus
    return f"{mantissa}E{sign}{str(abs(exponent)).zfill(form['exponent'].count('0'))}"


def _time(number: float, first: datetime, *, is_elapsed: bool) -> str:
    """Return a number of days as a time that has elapsed, or as what the clock and the calendar show.

    1.5 is "36:00:00" as a time that has elapsed. As a moment, 0.5 is "12:00:00", and from 1 on the day is in front.
    Raises `ValueError` for moments before `first`, and `OverflowError` for those after the year 9999.
    """
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
