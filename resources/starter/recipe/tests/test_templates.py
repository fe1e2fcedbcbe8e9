import random

import pytest

from resources.starter.recipe.templates import draw, fill, normalised


def test_every_alternative_is_drawn_and_nothing_else() -> None:
    rng = random.Random(1)

    texts = {draw("{a|b|} c{d{e|f}|}", rng) for _ in range(300)}

    assert texts == {f"{first} c{last}" for first in ("a", "b", "") for last in ("de", "df", "")}


@pytest.mark.parametrize("template", ["{a|b", "a}", "{a{b}"])
def test_unbalanced_braces_are_refused(template: str) -> None:
    with pytest.raises(ValueError, match="brace"):
        draw(template, random.Random(1))


@pytest.mark.parametrize(
    ("template", "value", "expected"),
    [
        ("<v>[이/가] 커요", "별", "별이 커요"),
        ("<v>[이/가] 커요", "나무", "나무가 커요"),
        ("<v>[을/를] 빼요", 13, "13을 빼요"),
        ("<v>[을/를] 빼요", 12, "12를 빼요"),
        ("<v>[으로/로] 나눠요", 7, "7로 나눠요"),
        ("<v>[으로/로] 가요", "서울", "서울로 가요"),
        ("<v>[으로/로] 가요", "부산", "부산으로 가요"),
        ("“<v>”[은/는] 말이에요", "단어", "“단어”는 말이에요"),
    ],
)
def test_korean_particles_fit_the_word_before_them(template: str, value: object, expected: str) -> None:
    assert fill(template, {"v": value}) == expected


def test_an_unknown_slot_is_an_error() -> None:
    with pytest.raises(KeyError):
        fill("<missing>", {})


def test_wordings_are_compared_without_case_spaces_and_punctuation() -> None:
    assert normalised("What's  Tandem?") == normalised("WHATS tandem")
    assert normalised("추측이 뭐예요?") == normalised("추측이뭐예요")
