"""The lists of models in the shape of Ollama's API, and which of its endpoints there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.app.api.serving import Served

PAGE = Path(__file__).resolve().parents[4] / "docs" / "local-api.md"
# Every endpoint of Ollama's server in the release that /api/version names (`GenerateRoutes` in its server/routes.go),
# with a value for each part of a path that may be anything.
ENDPOINTS = {
    "GET": ("/", "/api/version", "/api/status", "/api/tags", "/api/ps", "/v1/models", "/v1/models/starter/main"),
    "HEAD": ("/", "/api/version", "/api/tags", "/api/blobs/DIGEST"),
    "POST": (
        *("/api/chat", "/api/generate", "/api/embed", "/api/embeddings", "/api/show", "/api/pull", "/api/push"),
        *("/api/create", "/api/copy", "/api/blobs/DIGEST", "/api/me", "/api/signout", "/api/experimental/web_search"),
        *("/api/experimental/web_fetch", "/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses"),
        *("/v1/messages", "/v1/images/generations", "/v1/images/edits", "/v1/audio/transcriptions"),
    ),
    "DELETE": ("/api/delete", "/api/user/keys/KEY"),
}


@pytest.mark.parametrize(
    "asked_for",
    [
        # Codex 0.171 with `--oss --local-provider ollama`.
        (0, 13, 4),
        # The newest that a program of autumn 2026 was seen to ask for.
        (0, 34, 0),
    ],
)
def test_the_version_is_new_enough_for_programs_that_refuse_older_ones(
    told: Served, asked_for: tuple[int, ...]
) -> None:
    version = told.get("/api/version").json()["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert tuple(map(int, version.split("."))) >= asked_for


def test_what_this_version_of_ollama_has_besides_is_documented(told: Served) -> None:
    asked = [(method, path) for method, paths in ENDPOINTS.items() for path in paths]
    # Without a body, no endpoint does what it is for.
    statuses = {f"{method} {path}": told.client.request(method, path).status_code for method, path in asked}
    missing = {endpoint for endpoint, status in statuses.items() if status in (404, 405)}
    version = told.get("/api/version").json()["version"]
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition(f"## What Ollama {version} has besides\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([A-Z]+ /[^`]*)`", section)) == missing
    assert len(missing) < len(asked) // 2
