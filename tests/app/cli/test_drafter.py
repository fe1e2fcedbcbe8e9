"""`tandem drafter serve`: the secret, and the warning before other computers are served."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.__main__ import main


def test_a_secret_that_can_be_guessed_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANDEM_DRAFTER_SECRET", "short")
    assert main(["drafter", "serve", "model"]) == 2
    assert "16 characters" in capsys.readouterr().err


def test_other_computers_are_served_with_a_warning_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drafter", "serve", str(tmp_path), "--host", "0.0.0.0"]) == 1
    err = capsys.readouterr().err
    assert "unencrypted" in err
    assert "cannot be used" in err
