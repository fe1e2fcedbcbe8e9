"""The app accepts the release feed that packaging/ signs, with the changelog's part on the version."""

from __future__ import annotations

import base64
import json
import runpy
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.settings.updates import UpdateCheckFailed, read_feed

FEED = str(Path(__file__).resolve().parents[2] / "packaging" / "feed.py")
PAGE = "https://github.com/someone/tandem/releases/tag/v0.1.0"


def keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """A new private key in base64, and the public one, as `feed.py keys` makes them."""
    source = tmp_path / "updates.json"
    source.write_text('{"address": ""}')
    feed = runpy.run_path(FEED)
    feed["make_keys"].__globals__["SOURCE"] = source
    feed["make_keys"]()
    private = capsys.readouterr().out.strip().removeprefix("TANDEM_FEED_KEY=")
    return private, json.loads(source.read_text())["key"]


def test_the_app_accepts_what_was_signed_with_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    private, public = keys(tmp_path, capsys)
    monkeypatch.setenv("TANDEM_FEED_KEY", private)
    runpy.run_path(FEED)["main"]("sign", "0.1.0", PAGE, str(tmp_path))
    content, signature = (tmp_path / "feed.json").read_bytes(), (tmp_path / "feed.json.sig").read_bytes()
    release = read_feed(content, signature, public)
    assert (release.version, release.page) == ("0.1.0", PAGE)
    other = base64.b64encode(Ed25519PrivateKey.generate().public_key().public_bytes_raw()).decode()
    with pytest.raises(UpdateCheckFailed):
        read_feed(content, signature, other)


def test_what_is_new_is_the_part_of_that_version(capsys: pytest.CaptureFixture[str]) -> None:
    feed = runpy.run_path(FEED)
    feed["main"]("news", "0.1.0")
    assert "The first release" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        feed["main"]("news", "99.0")
