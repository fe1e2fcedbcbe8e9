"""Failures of downloads: the sentence on the card in every language, and the way to continue."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.library.hub_options import LibraryPaths
from app.library.library import Library
from app.models.download_card import DownloadCard
from app.models.page import INSTALLED, SEARCH
from app.settings.store import SettingsStore
from app.system.language import LANGUAGES
from app.widgets.application import Application
from app.wording import models as wording
from engine.hub.download_job import JobSettings
from tests.app.hub_library import QUICK, TINY_DRAFT, TINY_MAIN, KeychainInMemory
from tests.app.window_driver import WindowDriver
from tests.engine.hub.nasty_hub import TREE, answer
from tests.engine.model_files.model_folders import model_files
from tests.fakehub.server import FakeHub, Fault
from tests.patience import content_of

NAME = "org/model"
# More bytes than Qt can count.
ENORMOUS = [{"type": "file", "path": name, "size": 2**70, "oid": "a" * 40} for name in model_files()]


# What goes wrong, and the card's sentence in English. Tests of the Hub's client and of the wording have all reasons.
TROUBLES: dict[str, tuple[Callable[[FakeHub], object], str]] = {
    "gated": (lambda hub: vars(hub.repositories[NAME]).update(gated=True), "org/model is gated."),
    "offline": (lambda hub: vars(hub).update(unplugged=True), "Can't reach Hugging Face."),
    "checksum": (
        lambda hub: hub.fault(NAME, "model.safetensors", wrong_bytes=True),
        "model.safetensors failed its checksum twice.",
    ),
    "enormous": (
        lambda hub: hub.api_faults.update({TREE: Fault(raw=answer(json.dumps(ENORMOUS).encode()))}),
        "9.2\u00a0EB needed, but only ",
    ),
}


def library_of(folder: Path, endpoint: str, paths: LibraryPaths, jobs: JobSettings | None = None) -> Library:
    settings = SettingsStore(folder / "settings.json")
    settings.change(hub_endpoint=endpoint)
    return Library(settings, lambda: replace(paths, jobs=jobs or paths.jobs), KeychainInMemory())


@pytest.fixture
def plain_library(hub: FakeHub, paths: LibraryPaths, tmp_path: Path, qtbot: QtBot) -> Library:
    """A library without a window, on a Hub with one more model."""
    hub.add(NAME, model_files())
    library = library_of(tmp_path, hub.endpoint, paths)
    library.start()
    qtbot.waitUntil(lambda: library.inventory is not None)
    return library


@pytest.mark.parametrize("name", TROUBLES)
def test_each_trouble_is_a_sentence_on_the_card_in_every_language(
    name: str, hub: FakeHub, plain_library: Library, qapp: Application, qtbot: QtBot
) -> None:
    (arrange, words), library = TROUBLES[name], plain_library
    card = DownloadCard(NAME, library.page_of(NAME))
    try:
        arrange(hub)
        library.get(NAME)
        qtbot.waitUntil(lambda: [status.state for status in library.downloads] == ["failed"])
        said = set()
        for language in LANGUAGES:
            qapp.language.choose(language)
            card.show_status(library.downloads[0], "Model")
            said.add(card.facts.text())
            assert "{" not in card.facts.text()
            assert card.page_button.isHidden() != (name == "gated")
            if language == "en":
                assert words in card.facts.text()
                assert card.badge.text() == "failed"
                assert card.main_button.text() == ("I've been granted access" if name == "gated" else "Try again")
        assert len(said) == len(LANGUAGES)
        if name == "offline":
            # One press continues after an outage.
            hub.unplugged = False
            library.resume(NAME)
            qtbot.waitUntil(lambda: library.downloads[0].state == "ready")
    finally:
        library.close()
        card.deleteLater()


def test_too_little_room_is_told_with_both_sizes_before_a_byte_comes(
    hub: FakeHub, paths: LibraryPaths, tmp_path: Path, qtbot: QtBot
) -> None:
    hub.add(NAME, model_files())
    tight = JobSettings(policy=QUICK, free_bytes=lambda _path: 1_000_000, space_margin=2_000_000)
    library = library_of(tmp_path, hub.endpoint, paths, tight)
    library.get(NAME)
    qtbot.waitUntil(lambda: [status.state for status in library.downloads] == ["failed"])
    words = wording.download_words(library.downloads[0])
    library.close()
    assert words.endswith("needed, but only 1\u00a0MB free on the disk. Free up space, then try again.")
    assert hub.bytes_sent(NAME) == 0


def test_a_search_and_a_pasted_address_show_gated_models_with_the_way_to_their_page(
    page: Any, library: Library, hub: FakeHub, qtbot: QtBot
) -> None:
    hub.add("org/asks-first", model_files(), gated=True)
    page.show_tab(SEARCH)
    for text in ("asks-first", "https://huggingface.co/org/asks-first"):
        page.field.clear()
        QTest.keyClicks(page.field, text)
        qtbot.waitUntil(lambda: [card.entry.id for card in page.cards] == ["org/asks-first"])
        (card,) = page.cards
        assert "Gated" in card.facts.text()
        assert not card.page_button.isHidden()
        page.field.clear()
        library.hub_search.search("")
        qtbot.waitUntil(lambda: not page.cards)


def test_a_search_reads_configurations_and_judges_drafts_before_a_weight_is_here(
    page: Any,
    hub_settings: WindowDriver,
    library: Library,
    hub: FakeHub,
    tiny_pair: dict[str, dict[str, bytes]],
    qtbot: QtBot,
) -> None:
    hub.add("someone/Tiny-Tuned-32bit", tiny_pair[TINY_DRAFT])
    library.get(TINY_MAIN)
    qtbot.waitUntil(lambda: "Tiny Main is ready." in hub_settings.banner_text)
    hub_settings.press_banner()
    session = hub_settings.session
    qtbot.waitUntil(lambda: session.answers.ready and not session.models.pair.loading)
    hub_settings.settings.open("models")
    page.show_tab(SEARCH)
    hub.sent.clear()
    QTest.keyClicks(page.field, "tuned")
    qtbot.waitUntil(lambda: bool(page.cards) and page.cards[0].entry.advice is not None)
    (card,) = page.cards
    assert card.entry.context == 512
    assert card.entry.fit is not None
    assert card.entry.fit.context == 512
    assert card.facts.text().startswith("As draft for Tiny Main: ")
    # Headers of weights are read, to find a head in them; the weights are not.
    assert sum(sent.count for sent in hub.sent if sent.name.endswith(".safetensors")) < 4096


def test_a_damaged_model_is_repaired_with_the_damaged_file_alone(
    page: Any, library: Library, hub: FakeHub, tmp_path: Path, qtbot: QtBot
) -> None:
    library.get(TINY_DRAFT)
    qtbot.waitUntil(lambda: bool(library.inventory.installed))  # type: ignore[union-attr]
    (config,) = (tmp_path / "cache").rglob("config.json")
    content = config.read_bytes()
    config.resolve().write_bytes(content.replace(b"512", b"513"))
    page.show_tab(INSTALLED)
    hub.sent.clear()
    page.cards[0].check_button.click()
    qtbot.waitUntil(lambda: content_of(config) == content)
    qtbot.waitUntil(lambda: {one.state for one in library.downloads} == {"ready"})
    assert [sent.name for sent in hub.sent] == ["config.json"]


def test_without_a_network_a_download_says_so_and_goes_on_when_it_is_back(
    paths: LibraryPaths, tmp_path: Path, qtbot: QtBot
) -> None:
    # Bound without listening, the port refuses everybody, and no other test can take it.
    nobody = socket.socket()
    nobody.bind(("127.0.0.1", 0))
    port = nobody.getsockname()[1]
    jobs = JobSettings(policy=replace(QUICK, tries=10_000), space_margin=0, unreached_s=0.1)
    library = library_of(tmp_path, f"http://127.0.0.1:{port}", paths, jobs)
    library.get(NAME)
    qtbot.waitUntil(lambda: [status.waits_for_network for status in library.downloads] == [True])
    card = DownloadCard(NAME, library.page_of(NAME))
    card.show_status(library.downloads[0], "Model")
    assert "Waiting for a connection" in card.facts.text()
    assert card.badge.text() == "waiting"
    assert card.main_button.text() == "Pause"
    card.deleteLater()
    nobody.close()
    with FakeHub(port=port) as hub:
        hub.add(NAME, model_files())
        qtbot.waitUntil(lambda: library.downloads[0].state == "ready")
    library.close()
