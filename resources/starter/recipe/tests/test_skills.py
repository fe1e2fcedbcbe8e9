import itertools
import random
import re

import pytest

from resources.starter.recipe.content import LANGUAGES
from resources.starter.recipe.skills import SKILLS
from resources.starter.recipe.skills.arithmetic import chained_arithmetic
from resources.starter.recipe.skills.texts import first_sentence
from resources.starter.recipe.voice import Voice

SIGNS = {"+": int.__add__, "-": int.__sub__, "×": int.__mul__, "÷": int.__floordiv__}


def is_true(equation: str) -> bool:
    match = re.fullmatch(r"(\d+) ([+×÷-]) (\d+) = (\d+)", equation)
    assert match, equation
    first, sign, second, result = match.groups()
    return SIGNS[sign](int(first), int(second)) == int(result)


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SKILLS)
def test_every_skill_speaks_every_language(name: str, language: str) -> None:
    skill, weight = SKILLS[name]

    turns = [turn for seed in range(60) for turn in skill(Voice(language, random.Random(seed)))]

    assert weight > 0
    assert all(turn.user and turn.answer for turn in turns)
    assert len({turn.user for turn in turns}) > 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_chained_sums_go_on_from_the_last_result(language: str) -> None:
    for seed in range(200):
        turns = chained_arithmetic(Voice(language, random.Random(seed)))
        for before, after in itertools.pairwise(turns):
            assert is_true(before.answer)
            assert is_true(after.answer)
            assert after.answer.split(" ")[0] == before.answer.split(" ")[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.", "One."),
        ("One, 2.5 things", "One, 2.5 things"),
        ("하나예요. 둘이에요.", "하나예요."),
        ("一つです。二つです。", "一つです。"),
        ("List:\n- a", "List:"),
    ],
)
def test_the_first_sentence_ends_where_a_reader_would_say(text: str, expected: str) -> None:
    assert first_sentence(text) == expected
