"""The self-test ends with the cause where it cannot work at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli import self_test
from app.widgets.application import Application


def test_a_folder_that_may_not_be_used_is_named_at_once(
    qapp: Application, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As with the umask 0277, under which new folders can be read only."""

    def refused(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(self_test, "Application", lambda *_: qapp)
    monkeypatch.setattr(Path, "mkdir", refused)
    assert self_test.run() == 1
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert "tandem-self-test-" in report["problem"]
    assert "cannot be read or written to. Check its permissions" in report["problem"]
