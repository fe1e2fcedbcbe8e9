"""The check of a disk image, with folders in place of opened images and recorded commands in place of macOS's."""

from __future__ import annotations

import runpy
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
NOTARISED = {"TANDEM_SIGNING_IDENTITY": "Developer ID Application: Somebody", "TANDEM_NOTARY_PROFILE": "tandem"}


@pytest.fixture
def checking(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[str]]:
    """Check an image with an app in it, after the copy was spoilt; return the commands that were run."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    for name in NOTARISED:
        monkeypatch.delenv(name, raising=False)
    app = tmp_path / "Tandem.app"
    (app / "Contents" / "MacOS").mkdir(parents=True)
    (app / "Contents" / "MacOS" / "Tandem").write_bytes(b"code")
    (app / "Contents" / "MacOS" / "Tandem").chmod(0o755)
    (app / "Contents" / "link").symlink_to("MacOS/Tandem")
    (app / "Contents" / unicodedata.normalize("NFC", "한글")).touch()

    def checking(spoil: Callable[[Path], Any]) -> list[str]:
        script = runpy.run_path(str(PACKAGING / "check_image.py"))
        commands: list[str] = []

        def run(*command: str | Path) -> None:
            commands.append(" ".join(map(str, command)).replace(str(tmp_path), ""))
            if command[:2] == ("hdiutil", "attach"):
                volume = Path(command[-2])
                shutil.copytree(app, volume / "Tandem.app", symlinks=True)
                (volume / "Applications").symlink_to("/Applications")
                spoil(volume)

        script["main"].__globals__["run"] = run
        try:
            script["main"](str(tmp_path / "Tandem.dmg"), str(app))
        finally:
            assert [command.split()[1] for command in commands if "hdiutil" in command] == [
                "verify",
                "attach",
                "detach",
            ]
        return commands

    return checking


@pytest.mark.parametrize("environment", [{}, NOTARISED])
def test_an_image_is_opened_and_the_seal_in_it_read(
    checking: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    composed, apart = (unicodedata.normalize(form, "한글") for form in ("NFC", "NFD"))
    contents = Path("Tandem.app") / "Contents"
    commands = checking(lambda volume: (volume / contents / composed).rename(volume / contents / apart))
    assert any(command.startswith("codesign --verify --deep --strict") for command in commands)
    assert any(command.startswith("spctl --assess") for command in commands) == bool(environment)
    assert any(command.startswith("xcrun stapler validate") for command in commands) == bool(environment)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda app: (app / "Contents/MacOS/Tandem").unlink(), "Contents/MacOS/Tandem is missing in the image"),
        (lambda app: (app / "Contents/MacOS/Tandem").write_bytes(b"cod"), "Contents/MacOS/Tandem differs"),
        (lambda app: (app / "Contents/MacOS/Tandem").chmod(0o644), "Contents/MacOS/Tandem differs"),
        (lambda app: (app / "Contents/more").touch(), "Contents/more is only in the image"),
        (lambda app: (app / "Contents/link").unlink() or (app / "Contents/link").touch(), "Contents/link differs"),
        (lambda app: (app.parent / "Applications").unlink(), "the link to Applications is missing"),
        (shutil.rmtree, "Contents/link is missing in the image"),
    ],
)
def test_what_was_lost_on_the_way_into_the_image_is_named(
    checking: Callable[..., list[str]], spoil: Callable[[Path], Any], says: str
) -> None:
    with pytest.raises(SystemExit, match=says):
        checking(lambda volume: spoil(volume / "Tandem.app"))
