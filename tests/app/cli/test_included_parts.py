"""The self-test tries each part that a build could have left out, and names those that are missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import keyring
import mlx.core as mx
import mlx_lm  # noqa: F401
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, macOS, null

from app.cli import included_parts
from app.cli.included_parts import try_parts
from app.widgets.application import Application
from engine.status import LoadedPair
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import Script


class CodePointOrder:
    """Compares like Qt without the rules of a language."""

    def __init__(self, _: object) -> None:
        pass

    def compare(self, first: str, second: str) -> int:
        return (first > second) - (first < second)


def parts_of(folder: Path, qapp: Any, answer: str) -> dict[str, str]:
    assert isinstance(qapp, Application)
    engine = ScriptedEngine(
        [Script("Hello."), Script(answer)], loads=[LoadedPair(model_info("main"), model_info("draft"))]
    )
    try:
        return try_parts(folder, qapp.language, engine)
    finally:
        engine.close()


@pytest.mark.full
def test_everything_is_here(tmp_path: Path, qapp: Any) -> None:
    before = qapp.language.choice
    parts = parts_of(tmp_path, qapp, "123")
    assert "previews" in parts
    assert not any(parts.values()), parts
    assert qapp.language.choice == before


@pytest.fixture
def nothing_included(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that a build could leave out is there."""

    def gone(*_: object) -> None:
        raise FileNotFoundError("it was not collected")

    monkeypatch.setattr(included_parts.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(included_parts, "BLAS", "reference (slow)")
    monkeypatch.setattr(included_parts, "outline_of", lambda *_: None)
    monkeypatch.setattr(included_parts, "read_attachment", gone)
    monkeypatch.setattr(included_parts, "feed_source", gone)
    monkeypatch.setattr(included_parts, "PromptProcess", gone)
    monkeypatch.setattr("engine.ahead.link.in_a_process", gone)
    monkeypatch.setattr("pypdfium2.PdfDocument", gone)
    monkeypatch.setattr(included_parts, "LocalApi", gone)
    monkeypatch.setattr(included_parts, "ToolHost", gone)
    monkeypatch.setattr(included_parts, "picture_size", gone)
    monkeypatch.setattr(included_parts, "picture_of", gone)
    monkeypatch.setattr(included_parts, "QCollator", CodePointOrder)
    monkeypatch.setattr(included_parts.QCoreApplication, "translate", lambda _, text: text)


@pytest.mark.usefixtures("nothing_included")
def test_each_part_that_is_missing_is_named(tmp_path: Path, qapp: Any) -> None:
    parts = parts_of(tmp_path, qapp, "Hello.")
    assert {name for name, problem in parts.items() if problem} == {
        "architectures",
        "prompt-process",
        "draft-runner",
        "pdf",
        "pdfium",
        "documents",
        "formulas",
        "languages",
        "updates",
        "sorting",
        "server",
        "grammars",
        "tools",
        "pictures",
        "previews",
        *(["openblas"] if sys.platform == "linux" else []),
    }
    assert "it was not collected" in parts["pdf"]


NO_KEYCHAIN = {"keychain": "ValueError: keyring.backends.fail keeps nothing"}
NULL_KEYCHAIN = {"keychain": "ValueError: keyring.backends.null keeps nothing"}


@pytest.mark.usefixtures("nothing_included")
@pytest.mark.parametrize(
    ("system", "backend", "backends", "chosen", "problems"),
    [
        ("darwin", macOS.Keyring, ["macOS"], "", {"gpu": "ValueError: MLX computes on Device(cpu, 0)"}),
        ("darwin", fail.Keyring, ["macOS"], "cpu", NO_KEYCHAIN),
        ("darwin", null.Keyring, ["macOS"], "cpu", NULL_KEYCHAIN),
        # A Linux machine without a desktop, as where the bundle is built.
        ("linux", fail.Keyring, ["SecretService"], "", {}),
        ("linux", fail.Keyring, [], "", NO_KEYCHAIN),
        ("linux", null.Keyring, ["SecretService"], "", NULL_KEYCHAIN),
    ],
)
def test_a_keychain_that_keeps_nothing_and_a_mac_without_its_gpu_are_missing_parts(
    tmp_path: Path,
    qapp: Any,
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    backend: type[KeyringBackend],
    backends: list[str],
    chosen: str,
    problems: dict[str, str],
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr(keyring, "get_keyring", backend)
    monkeypatch.setattr(keyring, "get_password", lambda *_: None)
    monkeypatch.setattr(included_parts, "entry_points", lambda **_: backends)
    monkeypatch.setenv("TANDEM_DEVICE", chosen)
    monkeypatch.setattr(mx, "default_device", lambda: mx.Device(mx.cpu, 0))
    parts = parts_of(tmp_path, qapp, "Hello.")
    assert {name: parts[name] for name in ("gpu", "keychain") if parts[name]} == problems
