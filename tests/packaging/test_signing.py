"""Signing, notarising and asking Gatekeeper, with recorded commands in place of Apple's tools."""

from __future__ import annotations

import runpy
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

SIGN = Path(__file__).resolve().parents[2] / "packaging" / "sign.py"
IDENTITY = "Developer ID Application: Somebody (ABCDE12345)"
SIGNED = {"TANDEM_SIGNING_IDENTITY": IDENTITY}
NOTARISED = {**SIGNED, "TANDEM_NOTARY_PROFILE": "tandem"}
HARDENED = ["--timestamp", "--options", "runtime"]


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """An app with code at several depths, a framework with an app in it, a link, and files without code."""
    app = tmp_path / "Tandem.app"
    core = "Frameworks/PySide6/Qt/lib/QtCore.framework/Versions/A"
    for name, magic in {
        "MacOS/Tandem": b"\xcf\xfa\xed\xfe",
        "Frameworks/libz.dylib": b"\xcf\xfa\xed\xfe",
        "Frameworks/mlx/lib/libmlx.dylib": b"\xca\xfe\xba\xbe",
        f"{core}/QtCore": b"\xca\xfe\xba\xbf",
        f"{core}/libmore.dylib": b"\xcf\xfa\xed\xfe",
        f"{core}/Helpers/Help.app/Contents/MacOS/Help": b"\xcf\xfa\xed\xfe",
        f"{core}/Helpers/Help.app/Contents/PlugIns/a": b"\xce\xfa\xed\xfe",
        "Frameworks/mlx/lib/mlx.metallib": b"MTLB",
        "Resources/words.txt": b"words",
    }.items():
        (app / "Contents" / name).parent.mkdir(parents=True, exist_ok=True)
        (app / "Contents" / name).write_bytes(magic + b" and so on")
    (app / "Contents/Resources/libz.dylib").symlink_to(app / "Contents/Frameworks/libz.dylib")
    return app


ACCEPTED = '{"id": "2efe2717", "status": "Accepted", "message": "Processing complete"}'
INVALID = '{"id": "2efe2717", "status": "Invalid", "message": "Processing complete"}'
LATE = '{"id": "2efe2717", "status": "In Progress", "message": "Timeout of 40m has elapsed"}'
LOG = '{"status": "Invalid", "issues": [{"path": "Tandem.app/Contents/MacOS/Tandem", "message": "no signature"}]}'
SUBMITTED = ["--keychain-profile", "tandem", "--wait", "--timeout", "40m", "--output-format", "json"]

Sign = Callable[..., "tuple[list[list[str]], str]"]


@pytest.fixture
def signing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sign:
    """Sign a product; return the commands that were run and what was printed.

    `fails` is the command that fails, `answer` what Apple's notaries say.
    """
    for name in ("TANDEM_SIGNING_IDENTITY", "TANDEM_NOTARY_PROFILE", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)

    def signing(
        product: Path, environment: dict[str, str], fails: str = "", answer: str = ACCEPTED
    ) -> tuple[list[list[str]], str]:
        ran: list[list[str]] = []

        def run(command: list[str], *, check: bool = False, **options: object) -> SimpleNamespace:
            ran.append(command)
            if command[1] == "notarytool":
                # As notarytool does: nothing fails where Apple refuses, and the log has no other form.
                assert options["timeout"]
                is_log = command[2] == "log"
                assert ("--output-format" in command) is not is_log
                return SimpleNamespace(stdout=LOG if is_log else answer, returncode=0)
            assert check
            if command[0] == "ditto":
                Path(command[-1]).touch()
            if fails and " ".join(command).removeprefix("xcrun ").startswith(fails):
                raise subprocess.CalledProcessError(1, command)
            return SimpleNamespace()

        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        script = runpy.run_path(str(SIGN))
        script["run"].__globals__["subprocess"] = SimpleNamespace(run=run, PIPE=subprocess.PIPE)
        refused = fails or answer != ACCEPTED
        with pytest.raises((subprocess.CalledProcessError, SystemExit)) if refused else nullcontext() as raised:
            script["main"](str(product))
        return ran, capsys.readouterr().out + (str(raised.value) if raised else "")

    return signing


@pytest.mark.parametrize(
    ("environment", "identity", "options", "says"),
    [
        (SIGNED, IDENTITY, HARDENED, "Not notarised"),
        # An app with a broken seal is "damaged" for macOS, which then offers no "Open Anyway".
        ({"TANDEM_NOTARY_PROFILE": "tandem"}, "-", [], "Not signed"),
    ],
)
def test_everything_inside_is_signed_before_what_is_around_it(
    app: Path, signing: Sign, environment: dict[str, str], identity: str, options: list[str], says: str
) -> None:
    run, said = signing(app, environment)
    sign = ["codesign", "--force", "--sign", identity, *options]
    frameworks = app / "Contents" / "Frameworks"
    core = frameworks / "PySide6/Qt/lib/QtCore.framework/Versions/A"
    entitlements = str(SIGN.parent / "bundle" / "entitlements.plist")
    assert run == [
        [*sign, str(core / "Helpers/Help.app/Contents/PlugIns/a")],
        [*sign, str(core / "Helpers/Help.app/Contents/MacOS/Help")],
        [*sign, str(core / "libmore.dylib")],
        [*sign, str(core / "QtCore")],
        [*sign, str(frameworks / "mlx/lib/libmlx.dylib")],
        [*sign, str(frameworks / "libz.dylib")],
        [*sign, "--entitlements", entitlements, str(app)],
        ["codesign", "--verify", "--deep", "--strict", "--verbose=2", str(app)],
    ]
    assert said.startswith(says)


def test_a_signed_app_is_notarised_stapled_and_shown_to_gatekeeper_last(app: Path, signing: Sign) -> None:
    run, said = signing(app, NOTARISED)
    zipped = app.with_suffix(".zip")
    assert said == ""
    assert run[-4:] == [
        ["ditto", "-c", "-k", "--keepParent", str(app), str(zipped)],
        ["xcrun", "notarytool", "submit", str(zipped), *SUBMITTED],
        ["xcrun", "stapler", "staple", str(app)],
        ["spctl", "--assess", "--type", "execute", "--verbose=2", str(app)],
    ]
    assert not zipped.exists()


def test_a_disk_image_is_signed_notarised_and_shown_to_gatekeeper(tmp_path: Path, signing: Sign) -> None:
    image = tmp_path / "Tandem-1.2.3-arm64.dmg"
    image.write_bytes(b"koly")
    run, _ = signing(image, NOTARISED)
    assert run == [
        ["codesign", "--force", "--timestamp", "--sign", IDENTITY, str(image)],
        ["xcrun", "notarytool", "submit", str(image), *SUBMITTED],
        ["xcrun", "stapler", "staple", str(image)],
        ["spctl", "--assess", "--type", "open", "--context", "context:primary-signature", "--verbose=2", str(image)],
    ]


def test_on_github_the_run_shows_a_warning_and_an_image_stays_without_a_signature(
    tmp_path: Path, signing: Sign
) -> None:
    run, said = signing(tmp_path / "Tandem-1.2.3-arm64.dmg", {"GITHUB_ACTIONS": "true"})
    assert run == []
    assert said.startswith("::warning::Not signed")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (INVALID, "Invalid"),
        (LATE, "In Progress"),
        ("Error: HTTP status code: 401", "401"),
        ("", "exit code"),
        ("[]", ""),
    ],
)
def test_what_apple_does_not_accept_ends_the_build_and_what_it_has_found_is_shown(
    app: Path, signing: Sign, answer: str, says: str
) -> None:
    run, said = signing(app, NOTARISED, answer=answer)
    assert "Apple has not accepted Tandem.app" in said
    assert says in said
    assert "stapler" not in str(run)
    assert not app.with_suffix(".zip").exists()
    # Only what has a number at Apple has a log.
    log = ["xcrun", "notarytool", "log", "2efe2717", "--keychain-profile", "tandem"]
    assert (run[-1] == log) == ("no signature" in said) == ("2efe2717" in answer)


@pytest.mark.parametrize("tool", ["codesign", "stapler staple", "spctl"])
def test_a_step_that_fails_ends_it(app: Path, signing: Sign, tool: str) -> None:
    run, _ = signing(app, NOTARISED, tool)
    assert " ".join(run[-1]).startswith((tool, f"xcrun {tool}"))
