import pytest

from resources.starter.recipe.scripts import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("dark mode", "en"),
        ("666", "en"),
        ("Tandem이 뭐야", "ko"),
        ("ㅋㅋ", "ko"),
        ("設定はどこ", "ja"),
        ("KVキャッシュ", "ja"),
        ("设置", "zh"),
    ],
)
def test_a_text_is_in_the_language_of_its_script(text: str, language: str) -> None:
    assert language_of(text) == language
