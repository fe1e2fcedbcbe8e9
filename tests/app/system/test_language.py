"""The language of the window: which one is chosen, and its translations loaded live."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale

from app.system import language
from app.system.language import best_language
from app.widgets.application import Application


def test_switching_the_language_changes_texts_plurals_and_numbers(qapp: Application) -> None:
    def shown(count: int) -> str:
        source = "Drafting %Ln token(s) per round."
        return QCoreApplication.translate("SpeculationSentences", source, "", count)

    assert shown(1).startswith("Drafting 1 token per")
    assert shown(5).startswith("Drafting 5 tokens per")
    assert shown(4396).startswith("Drafting 4,396 tokens per")
    qapp.language.choose("ko")
    assert shown(5).startswith("라운드마다 초안 토큰 5개")
    assert QLocale().language() == QLocale.Language.Korean
    qapp.language.choose("ja")
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "キャンセル"


@pytest.mark.parametrize(("code", "shown"), [("C", "8,192"), ("de_DE", "8.192")])
def test_numbers_are_those_of_the_system_or_without_a_locale_of_the_language(
    qapp: Application, monkeypatch: pytest.MonkeyPatch, code: str, shown: str
) -> None:
    monkeypatch.setattr(language.QLocale, "system", lambda: QLocale(code))
    qapp.language.choose("system")
    assert QLocale().toString(8192) == shown
    text = QCoreApplication.translate("BannerTests", "%Ln more", "", 8192)
    assert text == f"{shown} more"


@pytest.mark.expects_log
def test_without_its_translation_the_window_is_english_and_the_log_says_why(
    qapp: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(language, "translations", lambda: tmp_path)
    qapp.language.choose("ko")
    assert QCoreApplication.translate("SpeculationSentences", "Off") == "Off"
    assert "i18n/compile.py" in caplog.text


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (["ko-KR"], "ko"),
        (["zh-Hans-CN", "en-US"], "zh_CN"),
        (["zh-TW", "ja-JP"], "ja"),
        (["de-DE", "fr"], "en"),
        ([], "en"),
        (["en-GB", "ko"], "en"),
    ],
)
def test_the_first_language_we_have_is_taken(wanted: list[str], code: str) -> None:
    assert best_language(wanted) == code
