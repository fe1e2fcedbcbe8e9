"""The text of a release says first what its maintainer has to look at."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
WELL = {"TESTS": "success", "HAS_MACOS_CERTIFICATE": "true", "HAS_APPLE_ID": "true"}


@pytest.mark.parametrize(
    ("changed", "begins"),
    [
        ({}, ""),
        ({"TESTS": "failure"}, "**The tests of this tag have not passed"),
        ({"HAS_MACOS_CERTIFICATE": "false"}, "The macOS app is not signed: after the first try"),
        ({"HAS_APPLE_ID": "false"}, "The macOS app is not notarised by Apple: after the first try"),
    ],
)
def test_failed_tests_and_a_missing_signature_come_before_the_news(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], changed: dict[str, str], begins: str
) -> None:
    monkeypatch.syspath_prepend(str(PACKAGING))
    for name, value in {**WELL, **changed}.items():
        monkeypatch.setenv(name, value)
    script = runpy.run_path(str(PACKAGING / "release_text.py"))
    script["main"]("0.1.0")
    said = capsys.readouterr().out
    news = script["news_of"]("0.1.0")
    assert said.endswith(f"{news}\n")
    before = said.removesuffix(f"{news}\n")
    assert before.startswith(begins)
    assert bool(before) == bool(changed)
    # What macOS allowed belongs to an identity.
    assert ("asks again for the keychain's password" in before) == ("HAS_MACOS_CERTIFICATE" in changed)
