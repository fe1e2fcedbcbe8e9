"""Signing, notarising and asking Gatekeeper, with recorders in place of Apple's tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SIGN = Path(__file__).resolve().parents[2] / "packaging" / "sign.py"
IDENTITY = "Developer ID Application: Somebody (ABCDE12345)"
SIGNED = {"TANDEM_SIGNING_IDENTITY": IDENTITY}
NOTARISED = {**SIGNED, "TANDEM_NOTARY_PROFILE": "tandem"}
RUNTIME = ["codesign", "--force", "--timestamp", "--options", "runtime", "--sign", IDENTITY]
RECORDER = """#!{python}
import json, os, sys
from pathlib import Path
name = Path(sys.argv[0]).name
with open(os.environ["RECORD"], "a") as record:
    record.write(json.dumps([name, *sys.argv[1:]]) + "\\n")
sys.exit(name == os.environ.get("FAILS") or " ".join(sys.argv[1:3]) == os.environ.get("FAILS"))
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """An app with code at several depths, a framework, a link, and files without code."""
    app = tmp_path / "Tandem.app"
    for name, magic in {
        "MacOS/Tandem": b"\xcf\xfa\xed\xfe",
        "Frameworks/libz.dylib": b"\xcf\xfa\xed\xfe",
        "Frameworks/mlx/lib/libmlx.dylib": b"\xca\xfe\xba\xbe",
        "Frameworks/PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore": b"\xca\xfe\xba\xbf",
        "Frameworks/mlx/lib/mlx.metallib": b"MTLB",
        "Resources/words.txt": b"words",
    }.items():
        (app / "Contents" / name).parent.mkdir(parents=True, exist_ok=True)
        (app / "Contents" / name).write_bytes(magic + b" and so on")
    (app / "Contents/Resources/libz.dylib").symlink_to(app / "Contents/Frameworks/libz.dylib")
    return app


def signing(product: Path, environment: dict[str, str]) -> tuple[list[list[str]], int, str]:
    """The commands that were run, the exit code, and what was printed."""
    tools, record = product.parent / "tools", product.parent / "record"
    tools.mkdir()
    record.touch()
    for name in ("codesign", "xcrun", "ditto", "spctl"):
        (tools / name).write_text(RECORDER.format(python=sys.executable))
        (tools / name).chmod(0o755)
    if (zipped := product.with_suffix(".zip")) and product.is_dir():
        # As ditto would make it.
        zipped.touch()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TANDEM_", "GITHUB_"))}
    done = subprocess.run(
        [sys.executable, str(SIGN), str(product)],
        env={**kept, "PATH": f"{tools}:/usr/bin:/bin", "RECORD": str(record), **environment},
        capture_output=True,
        text=True,
    )
    return [json.loads(line) for line in record.read_text().splitlines()], done.returncode, done.stdout


def test_everything_inside_is_signed_before_what_is_around_it(app: Path) -> None:
    run, code, said = signing(app, SIGNED)
    frameworks = app / "Contents" / "Frameworks"
    entitlements = str(SIGN.parent / "bundle" / "entitlements.plist")
    assert code == 0
    assert run == [
        [*RUNTIME, str(frameworks / "PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore")],
        [*RUNTIME, str(frameworks / "mlx/lib/libmlx.dylib")],
        [*RUNTIME, str(frameworks / "libz.dylib")],
        [*RUNTIME, "--entitlements", entitlements, str(app)],
        ["codesign", "--verify", "--deep", "--strict", "--verbose=2", str(app)],
    ]
    assert said.startswith("Not notarised")


def test_a_signed_app_is_notarised_stapled_and_shown_to_gatekeeper_last(app: Path) -> None:
    run, code, said = signing(app, NOTARISED)
    zipped = app.with_suffix(".zip")
    assert (code, said) == (0, "")
    assert run[-4:] == [
        ["ditto", "-c", "-k", "--keepParent", str(app), str(zipped)],
        ["xcrun", "notarytool", "submit", str(zipped), "--keychain-profile", "tandem", "--wait"],
        ["xcrun", "stapler", "staple", str(app)],
        ["spctl", "--assess", "--type", "execute", "--verbose=2", str(app)],
    ]
    assert not zipped.exists()


def test_a_disk_image_is_signed_notarised_and_shown_to_gatekeeper(tmp_path: Path) -> None:
    image = tmp_path / "Tandem-1.2.3-arm64.dmg"
    image.write_bytes(b"koly")
    run, code, _ = signing(image, NOTARISED)
    assert code == 0
    assert run == [
        ["codesign", "--force", "--timestamp", "--sign", IDENTITY, str(image)],
        ["xcrun", "notarytool", "submit", str(image), "--keychain-profile", "tandem", "--wait"],
        ["xcrun", "stapler", "staple", str(image)],
        ["spctl", "--assess", "--type", "open", "--context", "context:primary-signature", "--verbose=2", str(image)],
    ]


def test_without_an_identity_nothing_is_signed_and_it_says_so(app: Path) -> None:
    run, code, said = signing(app, {"TANDEM_NOTARY_PROFILE": "tandem"})
    assert (run, code) == ([], 0)
    assert said.startswith("Not signed")


def test_on_github_the_run_shows_a_warning(app: Path) -> None:
    assert signing(app, {"GITHUB_ACTIONS": "true"})[2].startswith("::warning::Not signed")


@pytest.mark.parametrize("tool", ["codesign", "notarytool submit", "stapler staple", "spctl"])
def test_a_step_that_fails_ends_it(app: Path, tool: str) -> None:
    run, code, _ = signing(app, {**NOTARISED, "FAILS": tool})
    assert code
    assert " ".join(run[-1]).startswith((tool, f"xcrun {tool}"))
