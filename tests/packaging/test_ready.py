"""A release that could not be published as it has to be is stopped before anything is built."""

from __future__ import annotations

import base64
import json
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = base64.b64encode(PRIVATE.private_bytes_raw()).decode()
SOURCE = {
    "feed": "https://github.com/someone/tandem/releases/latest/download/feed.json",
    "key": base64.b64encode(PRIVATE.public_key().public_bytes_raw()).decode(),
}
CERTIFICATE = {"HAS_MACOS_CERTIFICATE": "true", "HAS_MACOS_CERTIFICATE_PASSWORD": "true"}
NOTARIES = {"HAS_APPLE_ID": "true", "HAS_APPLE_TEAM": "true", "HAS_APPLE_APP_PASSWORD": "true"}
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
        usual = {"GITHUB_REF_NAME": "v1.2.3", "GITHUB_REPOSITORY": "someone/tandem", "TANDEM_FEED_KEY": KEY}
        for name, value in {**usual, **CERTIFICATE, **NOTARIES, **(environment or {})}.items():
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


NOTHING = dict.fromkeys((*CERTIFICATE, *NOTARIES), "false")


@pytest.mark.parametrize("environment", [{}, NOTHING, dict.fromkeys(NOTARIES, "false")])
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
        ({}, {"HAS_MACOS_CERTIFICATE_PASSWORD": "false"}, "MACOS_CERTIFICATE_PASSWORD is missing beside"),
        ({}, {"HAS_APPLE_TEAM": "false"}, "APPLE_TEAM is missing beside APPLE_APP_PASSWORD and APPLE_ID"),
        ({}, dict.fromkeys(CERTIFICATE, "false"), "MACOS_CERTIFICATE is missing"),
    ],
)
def test_what_is_missing_is_said_with_what_to_do(
    ready: Ready, source: dict[str, str], environment: dict[str, str], says: str
) -> None:
    said = ready(source, environment)
    assert says in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("title", ["## 1.2.3 – not released yet", "## 1.2.2 – 1 May 2027"])
def test_the_changelog_has_to_be_written(ready: Ready, title: str) -> None:
    assert "CHANGELOG.md says" in ready(title=title)


def test_all_problems_are_said_at_once(ready: Ready) -> None:
    assert len(ready({"feed": "", "key": ""}, {"TANDEM_FEED_KEY": "", "GITHUB_REF_NAME": "v2"}).splitlines()) == 4
