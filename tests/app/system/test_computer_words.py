"""On a computer that is no Mac the window speaks of a computer, in every language, and names no part of macOS."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication

from app.system.computer_words import without_mac
from app.system.language import Language
from app.widgets.application import Application


@pytest.mark.parametrize(
    ("code", "text", "shown"),
    [
        ("en", "Show in Finder: {name}", "Show in folder: {name}"),
        ("en", "This Mac has to reach the other Macs by mac-studio.local.", None),
        ("en", "Cmd+Enter (Ctrl+Enter)", "Ctrl+Enter"),
        ("en", "A MacBook with macOS", "A MacBook with macOS"),
        ("ko", "이 Mac이 뜨거워요. Mac은 Mac을 Mac과", "이 컴퓨터가 뜨거워요. 컴퓨터는 컴퓨터를 컴퓨터와"),
        ("ko", "이 Mac이나 다른 Mac으로, Mac에서", "이 컴퓨터나 다른 컴퓨터로, 컴퓨터에서"),
        ("ja", "このMac 1台、Finderに表示", "このコンピュータ1台、フォルダに表示"),
        ("zh_CN", "在多台 Mac 上，在访达中显示", "在多台电脑上，在文件夹中显示"),
    ],
)
def test_a_mac_is_called_a_computer_by_the_rules_of_each_language(code: str, text: str, shown: str | None) -> None:
    expected = "This computer has to reach the other computers by mac-studio.local." if shown is None else shown
    assert without_mac(text, code) == expected


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("en", "This computer is not connected to a network."),
        ("ko", "이 컴퓨터는 네트워크에 연결되어 있지 않아요."),
        ("ja", "このコンピュータはネットワークに接続していません。"),
    ],
)
def test_the_window_has_these_words_where_it_is_on_no_mac(
    qapp: Application, monkeypatch: pytest.MonkeyPatch, code: str, shown: str
) -> None:
    monkeypatch.setattr(Language, "of_mac", False)
    qapp.language.choose(code)
    assert QCoreApplication.translate("Checkup", "This Mac is not connected to a network.") == shown
    # Counted texts, those without a translation and those of Qt stay as they are.
    assert "3" in QCoreApplication.translate("Header", "%Ln download(s) running", "", 3)
    assert QCoreApplication.translate("Nothing", "Words") == "Words"
    cancel = {"en": "Cancel", "ko": "취소", "ja": "キャンセル"}
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == cancel[code]


def test_on_a_mac_it_is_a_mac(qapp: Application) -> None:
    qapp.language.choose("en")
    words = "This Mac is not connected to a network."
    assert QCoreApplication.translate("Checkup", words) == words
