"""The keychain of a release, with a recorded `security`: open until the end, and no password in what is printed."""

from __future__ import annotations

import base64
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
IDENTITY = "Developer ID Application: Somebody (ABCDE12345)"
LISTED = f'  1) 0123456789ABCDEF "{IDENTITY}"\n     1 valid identities found\n'
ACCOUNT = {"APPLE_ID": "a@example.org", "APPLE_TEAM": "ABCDE12345", "APPLE_APP_PASSWORD": "abcd-efgh"}


@pytest.fixture
def keychain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """A runner of GitHub: `run` makes the keychain, `commands` and `imported` are what it did."""
    runner = SimpleNamespace(commands=[], imported=b"", listed=LISTED, fails="", variables=tmp_path / "variables")

    def run(command: list[str], **_: Any) -> SimpleNamespace:
        runner.commands.append(command)
        if command[1] == "import":
            runner.imported = Path(command[2]).read_bytes()
        stdout = runner.listed if command[1] == "find-identity" else ""
        return SimpleNamespace(
            stdout=stdout, stderr="no", returncode=int(bool(runner.fails) and runner.fails in command)
        )

    environment = {"RUNNER_TEMP": str(tmp_path), "GITHUB_ENV": str(runner.variables), "APPLE_ID": ""}
    environment |= {"CERTIFICATE": base64.encodebytes(b"key" * 50).decode(), "CERTIFICATE_PASSWORD": "hidden-word"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    script = runpy.run_path(str(PACKAGING / "keychain.py"))
    script["main"].__globals__["subprocess"] = SimpleNamespace(run=run)
    runner.run = script["main"]
    return runner


def test_what_signs_is_told_to_the_later_steps(keychain: SimpleNamespace, tmp_path: Path) -> None:
    keychain.run()
    assert keychain.variables.read_text() == f"TANDEM_SIGNING_IDENTITY={IDENTITY}\n"
    assert keychain.imported == b"key" * 50
    assert not (tmp_path / "certificate.p12").exists()
    signing = (PACKAGING / "sign.py").read_text(encoding="utf-8")
    assert all(
        f'"{name}"' in signing
        for name in ("TANDEM_SIGNING_IDENTITY", "TANDEM_NOTARY_PROFILE", "TANDEM_NOTARY_KEYCHAIN")
    )


def test_the_keychain_never_locks_itself_and_codesign_may_use_it(keychain: SimpleNamespace) -> None:
    keychain.run()
    by_name = {command[1]: command[2:] for command in keychain.commands}
    [file] = by_name["set-keychain-settings"]
    assert by_name["unlock-keychain"][-1] == file
    assert "/usr/bin/codesign" in by_name["import"]
    assert "apple-tool:,apple:" in by_name["set-key-partition-list"]


def test_with_an_apple_id_products_are_notarised(keychain: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    keychain.run()
    made = keychain.commands[0][-1]
    variables = ["TANDEM_NOTARY_PROFILE=tandem", f"TANDEM_NOTARY_KEYCHAIN={made}"]
    assert keychain.variables.read_text().splitlines()[1:] == variables
    assert keychain.commands[-1][:6] == ["xcrun", "notarytool", "store-credentials", "tandem", "--keychain", made]


@pytest.mark.parametrize("fails", ["import", "set-key-partition-list", "store-credentials"])
def test_a_failure_is_said_without_a_password(
    keychain: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fails: str
) -> None:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    keychain.fails = fails
    with pytest.raises(SystemExit) as raised:
        keychain.run()
    assert not any(secret in str(raised.value) for secret in ("hidden-word", "abcd-efgh"))
    assert not keychain.variables.exists()
    assert not (tmp_path / "certificate.p12").exists()


def test_a_certificate_for_the_app_store_signs_no_downloads(keychain: SimpleNamespace) -> None:
    keychain.listed = '  1) 0123456789ABCDEF "Apple Distribution: Somebody (ABCDE12345)"\n'
    with pytest.raises(SystemExit, match=r"no valid .Developer ID Application.: .*Apple Distribution"):
        keychain.run()
