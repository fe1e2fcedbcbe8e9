"""A release that could not be published as it has to be is stopped before anything is built."""

from __future__ import annotations

import base64
import json
import runpy
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.packaging.certificates import exported_certificate

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = base64.b64encode(PRIVATE.private_bytes_raw()).decode()
SOURCE = {
    "feed": "https://github.com/someone/tandem/releases/latest/download/feed.json",
    "key": base64.b64encode(PRIVATE.public_key().public_bytes_raw()).decode(),
}
PASSWORD = "of the export"


def in_base64(exported: bytes) -> str:
    """Return a certificate as the secret has it, as `base64` writes it."""
    return base64.encodebytes(exported).decode()


CERTIFICATE = {"MACOS_CERTIFICATE": in_base64(exported_certificate(PASSWORD)), "MACOS_CERTIFICATE_PASSWORD": PASSWORD}
NOTARIES = {"APPLE_ID": "a@example.org", "APPLE_TEAM": "ABCDE12345", "APPLE_APP_PASSWORD": "abcd-efgh-ijkl-mnop"}
Ready = Callable[..., str]


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ready:
    """Ask whether version 1.2.3 can be released; return what is said. The arguments change what is right."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    (tmp_path / "resources").mkdir()
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n', encoding="utf-8")

    def ready(
        source: dict[str, str] | None = None,
        environment: dict[str, str] | None = None,
        title: str = "## 1.2.3 – 1 May 2027",
    ) -> str:
        (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{title}\n\nNew.\n", encoding="utf-8")
        (tmp_path / "resources" / "updates.json").write_text(json.dumps(SOURCE | (source or {})), encoding="utf-8")
        usual = {"GITHUB_REF_NAME": "v1.2.3", "GITHUB_REF_TYPE": "tag", "GITHUB_REPOSITORY": "someone/tandem"}
        for name, value in {**usual, "TANDEM_FEED_KEY": KEY, **CERTIFICATE, **NOTARIES, **(environment or {})}.items():
            monkeypatch.setenv(name, value)
        script = runpy.run_path(str(PACKAGING / "ready.py"))
        for function in (script["main"], script["news_of"]):
            monkeypatch.setitem(function.__globals__, "ROOT", tmp_path)
        try:
            script["main"]()
        except SystemExit as problems:
            return str(problems)
        return capsys.readouterr().out

    return ready


NOTHING = dict.fromkeys((*CERTIFICATE, *NOTARIES), "")


@pytest.mark.parametrize("environment", [{}, NOTHING, dict.fromkeys(NOTARIES, "")])
def test_with_all_secrets_or_without_those_of_apple_it_can_be_built(ready: Ready, environment: dict[str, str]) -> None:
    assert ready(environment=environment) == "1.2.3 can be built.\n"


OTHER_KEY = base64.b64encode(bytes(32)).decode()


@pytest.mark.parametrize(
    ("source", "environment", "says"),
    [
        ({"feed": ""}, {}, f'no address of a feed: write "{SOURCE["feed"]}"'),
        ({"feed": "https://example.org/feed.json"}, {}, "but the app reads https://example.org/feed.json"),
        ({"key": ""}, {}, "no public key: run `python packaging/feed.py keys`"),
        ({"key": OTHER_KEY}, {}, "does not belong to the public key"),
        ({}, {"TANDEM_FEED_KEY": ""}, "The secret TANDEM_FEED_KEY is missing"),
        ({}, {"TANDEM_FEED_KEY": "AAAA"}, "does not belong to the public key"),
        ({}, {"TANDEM_FEED_KEY": "?"}, "does not belong to the public key"),
        ({}, {"GITHUB_REF_NAME": "v1.2.4"}, "The tag is v1.2.4, but pyproject.toml says 1.2.3"),
        ({}, {"MACOS_CERTIFICATE_PASSWORD": ""}, "MACOS_CERTIFICATE_PASSWORD is missing beside"),
        ({}, {"APPLE_TEAM": ""}, "APPLE_TEAM is missing beside APPLE_APP_PASSWORD and APPLE_ID"),
        ({}, dict.fromkeys(CERTIFICATE, ""), "MACOS_CERTIFICATE is missing"),
        ({}, {"APPLE_ID": "somebody"}, "APPLE_ID has to be the address"),
        ({}, {"APPLE_TEAM": "ABCDE12345\n"}, "APPLE_TEAM has to be ten capital letters and digits"),
        ({}, {"APPLE_TEAM": "FGHIJ12345"}, "APPLE_TEAM is not the team of the certificate"),
        ({}, {"APPLE_APP_PASSWORD": "Secret-1"}, "APPLE_APP_PASSWORD has to be an app-specific password"),
        ({}, {"MACOS_CERTIFICATE": "?"}, "MACOS_CERTIFICATE is no .p12 file in base64"),
        ({}, {"MACOS_CERTIFICATE_PASSWORD": "wrong"}, "MACOS_CERTIFICATE_PASSWORD is not its password"),
    ],
)
def test_what_is_missing_is_said_with_what_to_do(
    ready: Ready, source: dict[str, str], environment: dict[str, str], says: str
) -> None:
    said = ready(source, environment)
    assert says in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("exported", "says"),
    [
        (exported_certificate(PASSWORD, name="Apple Distribution: Somebody"), 'is "Apple Distribution: Somebody"'),
        (exported_certificate(PASSWORD, ends=datetime(2026, 5, 1, tzinfo=UTC)), "has expired on 2026-05-01"),
        (exported_certificate(PASSWORD, with_key=False), "has no private key"),
    ],
)
def test_a_certificate_that_signs_no_downloads_is_refused(ready: Ready, exported: bytes, says: str) -> None:
    said = ready(environment={"MACOS_CERTIFICATE": in_base64(exported)})
    assert says in said
    assert len(said.splitlines()) == 1


def test_a_rehearsal_has_no_version_but_all_secrets(ready: Ready) -> None:
    rehearsal = {"GITHUB_REF_NAME": "main", "GITHUB_REF_TYPE": "branch"}
    title = "## 1.2.3 – not released yet"
    assert ready(environment=rehearsal, title=title) == "1.2.3 can be built.\n"
    said = ready(environment={**rehearsal, "TANDEM_FEED_KEY": "", "APPLE_ID": "1"}, title=title)
    assert len(said.splitlines()) == 2


def test_no_secret_is_said(ready: Ready) -> None:
    wrong = {"APPLE_TEAM": "hidden-1", "APPLE_APP_PASSWORD": "hidden-2", "MACOS_CERTIFICATE_PASSWORD": "hidden-3"}
    said = ready(environment=wrong)
    assert len(said.splitlines()) == 3
    assert "hidden" not in said


@pytest.mark.parametrize("title", ["## 1.2.3 – not released yet", "## 1.2.2 – 1 May 2027"])
def test_the_changelog_has_to_be_written(ready: Ready, title: str) -> None:
    assert "CHANGELOG.md says" in ready(title=title)


def test_all_problems_are_said_at_once(ready: Ready) -> None:
    assert len(ready({"feed": "", "key": ""}, {"TANDEM_FEED_KEY": "", "GITHUB_REF_NAME": "v2"}).splitlines()) == 4
