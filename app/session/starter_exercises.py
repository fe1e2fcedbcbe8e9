"""Whether the Starter worked out an exercise right: a sum, a list, a copy, a word in another language, a name.

Most of its answers it learned word for word. The others are made of the question's own words and numbers, so that the
question tells whether they are right. No Qt in here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from app.session.starter_facts import answers_file
from app.session.starter_words import starter_words

# What is asked of: quoted, or after a colon.
_QUOTED = re.compile(r"[“\"]([^“”\"\n]+)[”\"]|「([^」\n]+)」|『([^』\n]+)』|(?<!\w)[‘']([^\n]+?)[’'](?!\w)")
_MARKS = "“”\"「」『』‘’'"
_SEPARATOR = re.compile(r"\s*[,、，;\n]\s*(?:and\s+)?|\s+and\s+")
_LIST_MARK = re.compile(r"^(?:-|\d+\.)\s+", re.MULTILINE)
_EQUATION = re.compile(r"(\d+) ([-+×÷]) (\d+) = (\d+)")
_SIGNS = ("+", "-", "×", "÷")
_CONVERSION = re.compile(r"(-?\d+)\s?(\D+?) = (-?\d+)\s?(\D+)")
_NUMBER = re.compile(r"(?<![\d.,])-?\d+(?![\d.,]*\d)")
# A number word of one of the languages: up to 99 in English, in Chinese characters and in Korean.
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_ENGLISH_NUMBER = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS[2:])})(?:[- ](?P<ones>{'|'.join(_ONES[1:10])}))?|(?P<small>{'|'.join(_ONES)}))\b",
    re.IGNORECASE,
)
_DIGITS = ("零〇영공", "一일하한", "二两이둘두", "三삼셋세", "四사넷네", "五오", "六육", "七칠", "八팔", "九구")
_VALUES = {letter: str(value) for value, letters in enumerate(_DIGITS) for letter in letters}
_KOREAN_NUMBER = {"다섯": "5", "여섯": "6", "일곱": "7", "여덟": "8", "아홉": "9"}
_EASTERN_NUMBER = re.compile(rf"[{''.join(_VALUES)}]?[十십][{''.join(_VALUES)}]?|[{''.join(_VALUES)}]")
# The first of two numbers is taken from the second one.
_FROM = re.compile(r"\d\D*\bfrom\b\D*\d", re.IGNORECASE)


@dataclass(frozen=True)
class Exercise:
    """A question, the answer to it, and what was said before in the chat."""

    question: str
    answer: str
    earlier: str

    @property
    def given(self) -> list[str]:
        """The texts that the question works on, if it marks them: quoted, after a colon, or on lines of their own."""
        question = self.question.strip()
        quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(question)]
        hidden = _QUOTED.sub(lambda match: "\0" * len(match[0]), question)
        texts = []
        if (colon := re.search("[:：]", hidden)) and question[colon.end() :].strip():
            texts.append(question[colon.end() :])
        if "\n" in question:
            texts += [question.split("\n", 1)[1], question.rsplit("\n", 1)[0]]
        # What stands in quotation marks within such a text is a part of it.
        texts = [_bare(text) for text in texts] or quoted
        return [text for text in texts if text]

    @property
    def instruction(self) -> str:
        """The question without the texts that it works on, unless lines may be either."""
        text = self.question
        for given in self.given if "\n" not in text.strip() else ():
            text = text.replace(given, " ")
        return text

    def names(self, kind: str) -> bool:
        """Whether the question asks for a text of that kind, e.g. "upper" for capitals."""
        return bool(starter_words("exercises", kind).search(self.instruction))

    def holds(self, text: str) -> bool:
        """Whether the text stands in the question, whatever its case."""
        return text.strip(_MARKS + " ").casefold() in self.question.casefold()

    def holds_row(self, words: Sequence[str]) -> bool:
        """Whether the words stand in the question in a row, with commas or without."""
        return any(self.holds(gap.join(words)) for gap in (", ", "、", " ", "，"))

    def holds_word(self, word: str) -> bool:
        """Whether the word stands in the question, not within other Latin letters."""
        return re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", self.question, re.IGNORECASE) is not None


def is_worked_out(question: str, answer: str, earlier: str = "") -> bool:
    """Return whether an answer is an exercise of the question, done right. `earlier` is what was said before."""
    return _is_worked_out(question, answer.strip(), earlier)


@lru_cache(maxsize=64)
def _is_worked_out(question: str, answer: str, earlier: str) -> bool:
    exercise = Exercise(question, answer, earlier)
    return bool(answer) and any(is_right(exercise) for is_right in _CHECKS)


def _is_calculated(exercise: Exercise) -> bool:
    """Return whether it is a sum, difference, product or quotient of the question's numbers, of the kind it names."""
    match = _EQUATION.fullmatch(exercise.answer)
    if match is None:
        return False
    sign = match[2]
    a, b, result = map(int, match.group(1, 3, 4))
    is_right = {"+": a + b == result, "-": a - b == result, "×": a * b == result, "÷": b > 0 and a == b * result}[sign]
    named = {kind for kind in _SIGNS if starter_words("operations", kind).search(exercise.question)}
    if not is_right or (named and sign not in named):
        return False
    doubles = {"×": "double", "÷": "half"}
    for numbers in _readings(exercise.question):
        if Counter(numbers) == Counter((a, b)):
            taken_from = _FROM.search(exercise.question) is not None
            in_order = numbers[::-1] if taken_from else numbers
            return sign != "-" or not named or in_order == [a, b]
        if numbers == [a] and b == 2 and sign in doubles:
            return bool(starter_words("operations", doubles[sign]).search(exercise.question))
        if numbers == [b]:
            return a in _numbers(exercise.earlier)
    return False


def _is_sequence(exercise: Exercise) -> bool:
    """Return whether it counts in equal steps between the question's numbers, or sorts these."""
    if not re.fullmatch(r"-?\d+(?:[,、，] ?-?\d+)+", exercise.answer):
        return False
    counted = _numbers(exercise.answer)
    if any(Counter(numbers) == Counter(counted) for numbers in _readings(exercise.question) if len(numbers) > 2):
        return counted == sorted(counted)
    first = counted[0]
    last = counted[-1]
    steps = {after - before for before, after in pairwise(counted)}
    if len(steps) > 1 or 0 in steps:
        return False
    step = steps.pop()
    if (exercise.names("odd") and first % 2 == 0) or (exercise.names("even") and first % 2):
        return False
    # Counting up to 10 in steps of 3 ends at 9, before the number that the question names.
    ends = (first, last, abs(step), *range(last, last + step))
    return any(numbers and all(number in ends for number in numbers) for numbers in _readings(exercise.question))


def _is_converted(exercise: Exercise) -> bool:
    """Return whether it converts the question's number between the units that the question names."""
    match = _CONVERSION.fullmatch(exercise.answer)
    if match is None:
        return False
    given = int(match[1])
    result = int(match[3])
    if not any(given in numbers for numbers in _readings(exercise.question)):
        return False
    for large, small, factor in _table()["units"]:
        for source, target in ((large, small), (small, large)):
            if match[2] not in source or match[4] not in target:
                continue
            if not all(any(exercise.holds_word(name) for name in names) for names in (source, target)):
                return False
            if factor is None:
                celsius, fahrenheit = (given, result) if source == large else (result, given)
                return celsius * 9 == (fahrenheit - 32) * 5
            return bool(result == given * factor if source == large else given == result * factor)
    return False


def _is_copy(exercise: Exercise) -> bool:
    """Return whether it is the very text of the question, perhaps in other case, or several times over."""
    if exercise.names("reverse"):
        return False
    answer = _bare(exercise.answer)
    for text in exercise.given:
        if exercise.names("upper") != exercise.names("lower"):
            recased = text.upper() if exercise.names("upper") else text.lower()
            if answer == recased:
                return True
            continue
        if answer in (text, text.rstrip(".!?。！？"), text.upper(), text.lower()):
            return True
        times = len(answer.split()) // len(text.split())
        if times > 1 and answer == " ".join([text] * times):
            return any(times in numbers for numbers in _readings(exercise.instruction))
    return not exercise.given and _is_at_an_end(exercise.question, answer)


def _is_at_an_end(question: str, text: str) -> bool:
    """Return whether a question begins or ends with a text, as whole words, and says more than that."""
    place = question.casefold().find(text.casefold())
    if place < 0 or len(text) >= len(question.strip(" ?!.。？！")) or not text:
        return False
    before = question[:place]
    after = question[place + len(text) :]
    return not before.strip(_MARKS + " ") or not after.strip(_MARKS + " .!?。！？")


def _is_list(exercise: Exercise) -> bool:
    """Return whether it lists the items of the question, each on a line, in a row, or in the opposite order."""
    is_reversed = exercise.names("reverse")
    for split in (_items, str.split):
        parts = [part.strip(".。") for part in split(_unmarked(exercise.answer))]
        parts = parts[::-1] if is_reversed else parts
        if len(parts) < 2 or (not is_reversed and split is str.split):
            continue
        if any([part.strip(".。") for part in split(_unmarked(text))] == parts for text in exercise.given):
            return True
        if not exercise.given and exercise.holds_row(parts):
            return True
    return False


def _is_known_list(exercise: Exercise) -> bool:
    """Return whether it is a list that everybody knows, or as many words of one kind as the question asks for."""
    if not exercise.answer.startswith("- "):
        return False
    items = _unmarked(exercise.answer).split("\n")
    if items in _table()["lists"]:
        return True
    kinds = ({word for entry in words for word in entry} for words in _table()["words"].values())
    return any(kind.issuperset(items) for kind in kinds) and any(
        len(items) in numbers for numbers in _readings(exercise.question)
    )


def _is_said_again(exercise: Exercise) -> bool:
    """Return whether it is what was said before in the chat, or the beginning of that."""
    return f"\n{exercise.answer}" in f"\n{exercise.earlier}"


def _is_replaced(exercise: Exercise) -> bool:
    """Return whether it is the text of the question with one word in the place of another, both of which are named."""
    instruction = exercise.instruction
    for text in exercise.given:
        for split in (_items, str.split):
            before = split(text)
            after = split(exercise.answer)
            changed = {pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]}
            if len(before) == len(after) and len(changed) == 1:
                (old, new), *_ = changed
                if old in instruction and new in instruction and old not in after:
                    return True
    return False


def _is_shortened(exercise: Exercise) -> bool:
    """Return whether it is two parts of the question's sentence, each in its short form."""
    question = exercise.question.casefold()
    answer = exercise.answer.rstrip(".。").casefold()
    parts = [short.casefold() for short, long in _table()["shortened"] if long.casefold() in question]
    return any(answer in (f"{subject} {action}", subject + action) for subject in parts for action in parts)


def _is_of_a_form(exercise: Exercise) -> bool:
    """Return whether it is one of the sentences that the Starter fills in, with what the question and the chat say."""
    for kind, is_right in _FORMS.items():
        for pattern in _patterns(kind):
            match = pattern.fullmatch(exercise.answer)
            if match is not None and is_right(exercise, match.groupdict()):
                return True
    # That it was not told something.
    return exercise.answer in _table()["forms"]["unknown"]


Slots = dict[str, str]


def _compares(exercise: Exercise, slots: Slots) -> bool:
    numbers = {slots["max"], slots["min"]}
    if not all(number.isdecimal() for number in numbers) or int(slots["max"]) <= int(slots["min"]):
        return False
    return any({int(number) for number in numbers} == set(read) for read in _readings(exercise.question))


def _comes_after(exercise: Exercise, slots: Slots) -> bool:
    return _follows(exercise, slots["item"], slots["other"])


def _comes_before(exercise: Exercise, slots: Slots) -> bool:
    return _follows(exercise, slots["other"], slots["item"]) and exercise.holds(slots["item"])


def _follows(exercise: Exercise, first: str, second: str) -> bool:
    is_named = exercise.holds(first) or exercise.holds(second)
    return is_named and any((first, second) in pairwise(items) for items in _table()["lists"])


def _is_first(exercise: Exercise, slots: Slots) -> bool:
    return _stands_at(exercise, slots["word"], 0)


def _is_last(exercise: Exercise, slots: Slots) -> bool:
    return _stands_at(exercise, slots["word"], -1)


def _stands_at(exercise: Exercise, word: str, place: int) -> bool:
    if not exercise.given:
        return exercise.holds(word)
    return any(word in (_items(text)[place], text.split()[place]) for text in exercise.given)


def _counts(exercise: Exercise, slots: Slots) -> bool:
    counted = [item.partition(" ") for item in _items(slots["count"])]
    if [number for number, _, _ in counted] != [str(place) for place in range(1, len(counted) + 1)]:
        return False
    words = [word for _, _, word in counted]
    if slots["n"] != str(len(words)):
        return False
    texts = exercise.given
    if not texts:
        return exercise.holds_row(words)
    return any(words in (_items(text), text.strip(".?!").split()) for text in texts)


def _translates(exercise: Exercise, slots: Slots) -> bool:
    pair = {slots["word"].casefold(), slots["target"].casefold()}
    entries = (entry for words in _table()["words"].values() for entry in words)
    return exercise.holds(slots["word"]) and any(pair <= set(map(str.casefold, entry)) for entry in entries)


def _is_told(exercise: Exercise, slots: Slots) -> bool:
    """Return whether the question tells the value: it says more than that, and asks for nothing."""
    says_more = exercise.question.strip(_MARKS + " .!?。！？").casefold() != slots["value"].casefold()
    return says_more and exercise.holds(slots["value"]) and not exercise.names("asks")


def _was_told(exercise: Exercise, slots: Slots) -> bool:
    return slots["value"].casefold() in exercise.earlier.casefold()


def _was_asked(exercise: Exercise, slots: Slots) -> bool:
    return _bare(slots["quoted"]) in exercise.earlier


def _bare(text: str) -> str:
    """Return a text without quotation marks around it."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] in _MARKS and text[-1] in _MARKS else text


def _unmarked(text: str) -> str:
    """Return a list without the marks before its items."""
    return _LIST_MARK.sub("", text)


def _items(text: str) -> list[str]:
    return [item for item in _SEPARATOR.split(text.strip()) if item]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(re.sub(r"(?<=\d)-(?=\d)", " ", text))]


@lru_cache(maxsize=64)
def _readings(text: str) -> Sequence[list[int]]:
    """Return the numbers of a text in order: those in digits, and with those in words."""

    def english(match: re.Match[str]) -> str:
        if match["small"]:
            return str(_ONES.index(match["small"].lower()))
        ones = _ONES.index(match["ones"].lower()) if match["ones"] else 0
        return str(10 * _TENS.index(match["tens"].lower()) + ones)

    def eastern(match: re.Match[str]) -> str:
        tens, ten, ones = re.fullmatch(r"(.?)([十십])(.?)|(.)", match[0]).group(1, 2, 3)  # type: ignore[union-attr]
        if not ten:
            return _VALUES[match[0]]
        return str(10 * int(_VALUES.get(tens, "1")) + int(_VALUES.get(ones, "0")))

    in_digits = text.replace("−", "-")
    for word, digit in _KOREAN_NUMBER.items():
        in_digits = in_digits.replace(word, digit)
    return _numbers(in_digits), _numbers(_EASTERN_NUMBER.sub(eastern, _ENGLISH_NUMBER.sub(english, in_digits)))


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = answers_file()["exercises"]  # type: ignore[assignment]
    return table


@cache
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    """Return the sentences of a kind that the Starter fills in, in each language."""
    return tuple(map(_pattern, _table()["forms"][kind]))


def _pattern(template: str) -> re.Pattern[str]:
    """Return what a template draws: `<slot>` is any text, `[이/가]` one of two particles."""
    escaped = re.sub(r"\\\[([^\[\]/]+)/([^\[\]/]+)\\\]", r"(?:\1|\2)", re.escape(template))
    return re.compile(re.sub(r"<([a-z]+)>", r"(?P<\1>.+?)", escaped), re.DOTALL)


_FORMS: dict[str, Callable[[Exercise, Slots], bool]] = {
    "larger": _compares,
    "smaller": _compares,
    "after": _comes_after,
    "before": _comes_before,
    "first": _is_first,
    "last": _is_last,
    "count_items": _counts,
    "translate": _translates,
    "meaning": _translates,
    "told": _is_told,
    "asked": _was_told,
    "question": _was_asked,
}
_CHECKS = (
    _is_calculated,
    _is_sequence,
    _is_converted,
    _is_copy,
    _is_list,
    _is_known_list,
    _is_said_again,
    _is_replaced,
    _is_shortened,
    _is_of_a_form,
)
