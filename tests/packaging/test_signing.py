"""Signing, notarising and asking Gatekeeper, with recorded commands in place of Apple's tools."""

from __future__ import annotations

import runpy
import subprocess
from collections.abc import Callable, Sequence
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


SUBMISSION = '{"id": "2efe2717", "message": "Successfully uploaded file", "path": "/tmp/Tandem.zip"}'
ACCEPTED = '{"id": "2efe2717", "status": "Accepted", "name": "Tandem.zip", "createdDate": "2027-05-01T10:00:00.000Z"}'
INVALID = ACCEPTED.replace("Accepted", "Invalid")
LATE = ACCEPTED.replace("Accepted", "In Progress")
NO_STAMP = "Tandem: The timestamp service is not available."
LOG = '{"status": "Invalid", "issues": [{"path": "Tandem.app/Contents/MacOS/Tandem", "message": "no signature"}]}'
PROFILE = ["--keychain-profile", "tandem"]
JSON = ["--output-format", "json"]

Sign = Callable[..., "tuple[list[list[str]], str]"]


@pytest.fixture
def signing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sign:
    """Sign a product; return the commands that were run and what was printed.

    `fails` is the command that fails, `status` and `submission` what Apple's notaries say, and `complaints` what
    codesign prints before it fails, one after another.
    """
    for name in ("TANDEM_SIGNING_IDENTITY", "TANDEM_NOTARY_PROFILE", "TANDEM_NOTARY_KEYCHAIN", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)

    def signing(
        product: Path,
        environment: dict[str, str],
        fails: str = "",
        *,
        status: str = ACCEPTED,
        submission: str = SUBMISSION,
        complaints: Sequence[str] = (),
    ) -> tuple[list[list[str]], str]:
        ran: list[list[str]] = []
        left = [*complaints]

        def run(command: list[str], *, check: bool = False, **options: object) -> subprocess.CompletedProcess[str]:
            ran.append(command)
            if command[1] == "notarytool":
                # As notarytool does: nothing fails where Apple refuses, and the log has no other form.
                assert options["timeout"]
                assert ("--output-format" in command) is (command[2] != "log")
                said = {"submit": submission, "info": status, "log": LOG, "wait": "Current status: In Progress..."}
                return subprocess.CompletedProcess(command, 0, stdout=said[command[2]])
            if command[0] == "codesign" and left:
                return subprocess.CompletedProcess(command, 1, stderr=f"{left.pop(0)}\n")
            if command[0] == "ditto":
                Path(command[-1]).touch()
            failed = bool(fails) and " ".join(command).removeprefix("xcrun ").startswith(fails)
            if failed and check:
                raise subprocess.CalledProcessError(1, command)
            return subprocess.CompletedProcess(command, int(failed), stderr="")

        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        script = runpy.run_path(str(SIGN))
        names = script["run"].__globals__
        names["subprocess"] = SimpleNamespace(run=run, PIPE=subprocess.PIPE)
        names["time"] = SimpleNamespace(sleep=lambda seconds: ran.append(["sleep", str(seconds)]))
        end = ""
        try:
            script["main"](str(product))
        except (subprocess.CalledProcessError, SystemExit) as error:
            end = f"ended: {error}"
        printed = capsys.readouterr()
        return ran, printed.out + printed.err + end

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
    assert said == "Apple's notaries have Tandem.app as 2efe2717.\n"
    assert run[-6:] == [
        ["ditto", "-c", "-k", "--keepParent", str(app), str(zipped)],
        ["xcrun", "notarytool", "submit", str(zipped), *PROFILE, *JSON],
        ["xcrun", "notarytool", "wait", "2efe2717", *PROFILE, "--timeout", "40m", *JSON],
        ["xcrun", "notarytool", "info", "2efe2717", *PROFILE, *JSON],
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
        ["xcrun", "notarytool", "submit", str(image), *PROFILE, *JSON],
        ["xcrun", "notarytool", "wait", "2efe2717", *PROFILE, "--timeout", "40m", *JSON],
        ["xcrun", "notarytool", "info", "2efe2717", *PROFILE, *JSON],
        ["xcrun", "stapler", "staple", str(image)],
        ["spctl", "--assess", "--type", "open", "--context", "context:primary-signature", "--verbose=2", str(image)],
    ]


def test_credentials_are_looked_up_in_the_keychain_that_was_made_for_them(app: Path, signing: Sign) -> None:
    run, _ = signing(app, {**NOTARISED, "TANDEM_NOTARY_KEYCHAIN": "/tmp/release.keychain"}, status=INVALID)
    asked = [command for command in run if command[1] == "notarytool"]
    assert [command[2] for command in asked] == ["submit", "wait", "info", "log"]
    assert all("--keychain /tmp/release.keychain" in " ".join(command) for command in asked)


def test_on_github_the_run_shows_a_warning_and_an_image_stays_without_a_signature(
    tmp_path: Path, signing: Sign
) -> None:
    run, said = signing(tmp_path / "Tandem-1.2.3-arm64.dmg", {"GITHUB_ACTIONS": "true"})
    assert run == []
    assert said.startswith("::warning::Not signed")


@pytest.mark.parametrize(
    ("status", "says"), [(INVALID, "Invalid"), (LATE, "In Progress"), ("", "None"), ("[]", "None")]
)
def test_what_apple_does_not_accept_ends_the_build_and_what_it_has_found_is_shown(
    app: Path, signing: Sign, status: str, says: str
) -> None:
    run, said = signing(app, NOTARISED, status=status)
    assert f"Apple has not accepted Tandem.app: {says}." in said
    assert "notarytool info 2efe2717" in said
    assert "stapler" not in str(run)
    assert not app.with_suffix(".zip").exists()
    # There is no log before Apple has decided.
    log = ["xcrun", "notarytool", "log", "2efe2717", *PROFILE]
    assert (run[-1] == log) == ("no signature" in said) == (status != LATE)


@pytest.mark.parametrize(
    ("submission", "says"),
    [
        ("Error: HTTP status code: 401", "401"),
        ("", "exit code"),
        ('{"message": "Upload failed"}', "Upload"),
        ("[]", ""),
    ],
)
def test_a_product_that_the_notaries_do_not_take_is_not_waited_for(
    app: Path, signing: Sign, submission: str, says: str
) -> None:
    run, said = signing(app, NOTARISED, submission=submission)
    assert "Apple's notaries have not taken Tandem.app" in said
    assert says in said
    assert run[-1][:3] == ["xcrun", "notarytool", "submit"]
    assert not app.with_suffix(".zip").exists()


def test_a_time_stamp_that_is_not_to_be_had_is_asked_for_again(tmp_path: Path, signing: Sign) -> None:
    stamped = ["codesign", "--force", "--timestamp", "--sign", IDENTITY, str(tmp_path / "Tandem.dmg")]
    run, said = signing(tmp_path / "Tandem.dmg", SIGNED, complaints=[NO_STAMP] * 4)
    assert [command for command in run if command[0] != "sleep"] == [stamped] * 5
    assert run[1] == ["sleep", "10"]
    assert said.count(NO_STAMP) == 4
    assert "ended" not in said
    run, said = signing(tmp_path / "Tandem.dmg", SIGNED, complaints=[NO_STAMP] * 5)
    assert run[-1] == stamped
    assert "ended: Command" in said


def test_what_has_another_reason_is_not_tried_again(app: Path, signing: Sign) -> None:
    run, said = signing(app, SIGNED, complaints=["errSecInternalComponent"])
    assert len(run) == 1
    assert "errSecInternalComponent\nended: Command" in said


@pytest.mark.parametrize("tool", ["codesign", "stapler staple", "spctl"])
def test_a_step_that_fails_ends_it(app: Path, signing: Sign, tool: str) -> None:
    run, said = signing(app, NOTARISED, tool)
    assert " ".join(run[-1]).startswith((tool, f"xcrun {tool}"))
    assert "ended: Command" in said
