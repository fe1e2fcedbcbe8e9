"""A shortcut that works in every program is registered with Carbon, one at a time."""

from __future__ import annotations

import pytest

from app.system.hot_key import HotKey, hot_key
from tests.app.system.carbon import Carbon

# As Carbon's headers number them.
COMMAND, SHIFT, OPTION, CONTROL = 0x100, 0x200, 0x800, 0x1000


@pytest.fixture
def carbon() -> Carbon:
    return Carbon()


@pytest.mark.parametrize(
    ("keys", "codes"),
    [
        ("Ctrl+A", (0x00, COMMAND)),
        ("Alt+B", (0x0B, OPTION)),
        ("Meta+T", (0x11, CONTROL)),
        ("Ctrl+5", (0x17, COMMAND)),
        ("Ctrl+9", (0x19, COMMAND)),
        ("Ctrl+0", (0x1D, COMMAND)),
        ("Ctrl+P", (0x23, COMMAND)),
        ("Ctrl+K", (0x28, COMMAND)),
        ("Ctrl+M", (0x2E, COMMAND)),
        ("Meta+Alt+Space", (0x31, CONTROL + OPTION)),
        ("Ctrl+Shift+F1", (0x7A, COMMAND + SHIFT)),
        ("Ctrl+F10", (0x6D, COMMAND)),
        ("Ctrl+F12", (0x6F, COMMAND)),
        ("Meta+Ctrl+Alt+Shift+F20", (0x5A, CONTROL + COMMAND + OPTION + SHIFT)),
    ],
)
def test_keys_have_the_codes_of_carbons_headers(carbon: Carbon, keys: str, codes: tuple[int, int]) -> None:
    assert HotKey(carbon).choose(keys) == ""
    assert carbon.keys == [codes]


def test_a_system_that_would_not_report_the_keys_offers_no_shortcut(carbon: Carbon) -> None:
    carbon.install_error = -9868
    with pytest.raises(OSError, match="InstallEventHandler"):
        HotKey(carbon)


@pytest.mark.parametrize(
    "keys", ["A", "Shift+F5", "Ctrl+Left", "Ctrl++", "Alt+_", "Ctrl+ㅁ", "Num+A", "Ctrl+K, Ctrl+L"]
)
def test_keys_that_would_be_missed_in_other_programs_or_have_no_code_are_refused(carbon: Carbon, keys: str) -> None:
    assert HotKey(carbon).choose(keys) == "unusable"
    assert carbon.keys == []


def test_the_next_shortcut_replaces_the_one_before(carbon: Carbon) -> None:
    shortcut, pressed = HotKey(carbon), []
    shortcut.pressed = lambda: pressed.append(True)
    for keys in ("Ctrl+A", "Ctrl+A", "Ctrl+S"):
        assert shortcut.choose(keys) == ""
    assert carbon.keys == [(0x01, COMMAND)]
    assert carbon.press() == 0
    assert pressed == [True]
    assert shortcut.choose("") == ""
    assert carbon.keys == []


def test_a_taken_shortcut_is_refused_until_it_is_free(carbon: Carbon) -> None:
    shortcut = HotKey(carbon)
    carbon.others = {(0x00, COMMAND)}
    assert shortcut.choose("Ctrl+S") == ""
    assert shortcut.choose("Ctrl+A") == "taken"
    assert carbon.keys == []
    carbon.others.clear()
    assert shortcut.choose("Ctrl+A") == ""


def test_keys_that_the_system_refuses_for_another_reason_belong_to_nobody(carbon: Carbon) -> None:
    # macOS 15.0 and 15.1 of keys with Option only.
    carbon.error = -9868
    assert HotKey(carbon).choose("Alt+Space") == "unusable"
    carbon.error = 0
    assert HotKey(carbon).choose("Alt+Space") == ""


def test_other_systems_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    hot_key.cache_clear()
    assert hot_key() is None
    hot_key.cache_clear()
