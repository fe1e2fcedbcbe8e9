"""The Models page and the first run with a given library: cards, texts, and the requests of their buttons."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.conversations.request_history import Totals
from app.library.hub_search import ModelSearch
from app.models.download_card import DownloadCard
from app.models.page import INSTALLED, RECOMMENDED, SEARCH, ModelsPage
from app.settings.declarations import PAGES
from app.system.language import LANGUAGES
from app.widgets.application import Application
from app.widgets.controls import Segments
from app.widgets.layouts import settle_layouts, top_in
from app.wording.hub import size_words
from engine.hub.failures import HubError
from engine.hub.values import RemovalPlan
from tests.app.conftest import OpenShown
from tests.app.cut_texts import wait_until_nothing_is_cut
from tests.app.shown_library import DRAFT, FOREIGN, LARGER, MAIN, bare, downloading, path_of, stocked
from tests.app.window_driver import WindowDriver
from tests.app.window_parts import opened_menu

param, full = pytest.param, pytest.mark.full
# Korean stands for all languages.
LANGUAGE = [one if one == "ko" else param(one, marks=full) for one in LANGUAGES]


def open_page(window: WindowDriver, tab: int = RECOMMENDED) -> ModelsPage:
    window.settings.open("models")
    page = window.settings.page("models")
    assert isinstance(page, ModelsPage)
    page.show_tab(tab)
    return page


def card_of(page: ModelsPage, id_: str):  # type: ignore[no-untyped-def]
    return next(card for card in page.cards if card.entry.id == id_)


@pytest.mark.first
def test_models_are_grouped_by_what_they_are_for_and_the_smallest_is_first(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    # A machine with models gets no offer.
    window.offer.refresh()
    assert window.offer.isHidden()
    page = open_page(window)
    assert [heading.text() for heading in page.headings] == ["Quick", "All-round", "Best that fits", "Built in"]
    assert (page.cards[0].entry.id, page.cards[0].badge.text()) == (MAIN, "in use")
    assert page.cards[-1].entry.is_starter
    sizes = [card.entry.disk_bytes for card in page.cards[1:-1]]
    assert sizes == sorted(sizes)
    assert {entry.id for entry in library.inventory.offers} <= {card.entry.id for card in page.cards}
    assert all(card.entry.fit.fits for card in page.cards if card.entry.fit is not None)
    # One size and one plain button are in each row.
    assert {card.main_button.property("styleClass") for card in page.cards} == {"button"}
    assert page.cards[1].size_shown.text() == "920\u00a0MB"
    assert page.cards[1].main_button.text() == "Download"


@pytest.mark.parametrize("by", ["pointer", "keyboard"])
def test_the_memory_of_the_whole_mac_follows_the_row_under_the_pointer_or_with_the_focus(
    open_settings: OpenShown, by: str
) -> None:
    window, *_ = open_settings()
    page = open_page(window)
    said = page.memory.words.text
    idle = said()
    assert idle == "20.2\u00a0GB of 20.3\u00a0GB free for models"
    card = page.cards[2]
    if by == "pointer":
        QApplication.sendEvent(card, QEnterEvent(QPointF(), QPointF(), QPointF()))
    else:
        QApplication.sendEvent(card.main_button, QFocusEvent(QEvent.Type.FocusIn))
    # The loaded model goes for it.
    free = size_words(card.entry.fit.limit - card.entry.fit.needed)
    assert said() == f"This choice: {size_words(card.entry.fit.needed)} · then free: {free}"
    assert page.memory.bar.accessibleName() == said()
    away = QEvent(QEvent.Type.Leave) if by == "pointer" else QFocusEvent(QEvent.Type.FocusOut)
    QApplication.sendEvent(card if by == "pointer" else card.main_button, away)
    assert said() == idle
    # What is loaded is no other choice.
    page.cards[0].pointed.emit(True)
    assert said() == idle


def test_a_click_unfolds_a_row_and_another_scan_leaves_it_so(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    page = open_page(window)
    # A page that was opened lists its models once more.
    for _ in range(3):
        QApplication.processEvents()
    card = page.cards[2]
    assert not card.details.isVisible()
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert card.details.isVisible()
    lines = card.details.text().replace("\u00a0", " ").splitlines()
    assert lines[0].startswith("Apache 2.0 · ")
    assert lines[1:3] == ["Its head: 73 MB · not checked yet", "On disk: 1.8 GB"]
    assert re.fullmatch(r"In memory: weights 1\.7 GB \+ draft 0\.1 GB \+ context [0-9.]+ GB = [0-9.]+ GB", lines[3])
    library.models_changed.emit()
    QApplication.processEvents()
    assert page.cards[2].details.isVisible()


def test_every_tab_shows_what_was_measured_instead_of_the_estimate(open_settings: OpenShown) -> None:
    """In a search, also of a draft for the loaded main model."""
    window, library, _ = open_settings()
    inventory = library.inventory
    found = {entry.id: entry for entry in inventory.catalog if entry.id in (MAIN, LARGER)}
    library.hub_search.searched = ModelSearch(
        "qwen3", entries=(found[MAIN], replace(found[LARGER], advice=library.shown_advice[1]))
    )
    page = open_page(window, SEARCH)
    texts = [card_of(page, id_).facts.text() for id_ in (MAIN, LARGER)]
    # Its draft is installed, so it can be measured.
    assert "as fast" not in texts[0]
    assert "about 1.4× as fast" in texts[1]
    measured = Totals(speedup=0.97, accept_rate=0.78, drafted=50, accepted=39)
    library.take_measured({(MAIN, DRAFT): measured, (MAIN, LARGER): measured})
    texts = [card_of(page, id_).facts.text() for id_ in (MAIN, LARGER)]
    assert "1.0× as fast (measured)\u00a0· 39 of 50 drafts accepted" in texts[0]
    assert "1.0× as fast (measured)\u00a0· 39 of 50 drafts accepted" in texts[1]
    page.show_tab(INSTALLED)
    assert "1.0× as fast (measured)\u00a0· 39 of 50 drafts accepted" in card_of(page, MAIN).facts.text()
    assert "bout" not in texts[0]
    # The line below it is about the model with its own head.
    assert "bout" not in texts[1].partition("\n")[0]


def test_a_card_that_is_shown_takes_the_advice_that_comes_later(
    open_settings: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, library, _ = open_settings(pair=(path_of(MAIN), None))
    library.hub_search.searched = ModelSearch("qwen3", entries=(library.inventory.entry(LARGER),))
    with monkeypatch.context() as patch:
        patch.setattr(library, "advice", lambda _: None)
        page = open_page(window, SEARCH)
        assert "1.4×" not in card_of(page, LARGER).facts.text()
    library.advice_changed.emit(path_of(MAIN))
    assert "about 1.4× as fast" in card_of(page, LARGER).facts.text()


def test_a_model_without_a_worthwhile_draft_is_offered_alone(
    open_shown: OpenShown, set_chip: Callable[[str], None]
) -> None:
    set_chip("Apple M1")
    bare.cache_clear()
    window, library, _ = open_shown(bare(), ("starter/main", "starter/draft"))
    bare.cache_clear()
    window.offer.refresh()
    assert window.offer.isVisible()
    words = [label.text() for label in window.offer.findChildren(QLabel)]
    assert not any("draft" in text or "×" in text for text in words)
    window.offer.row.button.click()
    assert library.asked == [("add", library.inventory.offers[0].id)]


def test_the_memory_that_is_in_use_includes_the_models_of_programs(open_settings: OpenShown) -> None:
    limit = 10**9
    window, _, engine = open_settings(replace(stocked(), limit=limit))
    own = window.session.models.pair.main.bytes + window.session.models.pair.draft.bytes
    beside = engine.load_additional("small").result()
    page = window.settings_page("models")
    words = f"{size_words(limit - own - beside.bytes)} of"
    assert words != f"{size_words(limit - own)} of"
    window.wait(lambda: any(words in one.text() for one in page.findChildren(QLabel)))
    # One link unloads either; with one model it says which.
    assert page.unload.text() == "Unload…"
    menu = opened_menu(page.unload.click)
    sizes = [size_words(own), size_words(beside.bytes)]
    assert [size in one.text() for size, one in zip(sizes, menu.actions(), strict=True)] == [True, True]
    menu.actions()[1].trigger()
    window.wait(lambda: page.unload.text() == f"Unload Qwen3 8B ({size_words(own)})")
    assert window.session.models.pair.main is not None
    page.unload.click()
    window.wait(lambda: page.unload.isHidden())
    assert window.session.models.pair.main is None


def test_few_controls_are_above_the_first_row(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    page = open_page(window)

    def above_rows() -> list[QWidget]:
        kinds = (QAbstractButton, QComboBox, QLineEdit)
        controls = [view for kind in kinds for view in page.findChildren(kind) if view.isVisible()]
        first = top_in(page.cards[0], page)
        return [view for view in controls if not isinstance(view.parent(), QLineEdit) and top_in(view, page) < first]

    # Two tabs, the search, and what unloads the model.
    assert len(above_rows()) == 4
    # The tab of a search is there while one is shown.
    QTest.keyClicks(page.field, "q")
    assert page.findChild(Segments).buttons[SEARCH].isVisible()
    page.show_tab(INSTALLED)
    assert len(above_rows()) == 4


def test_cards_show_memory_damage_and_what_removal_frees(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    page = open_page(window, INSTALLED)
    card = card_of(page, MAIN)
    assert "In memory: weights 4.6\u00a0GB + draft 0.3\u00a0GB + context " in card.details.text()
    assert card.badge.text() == "in use"
    assert not card.remove_button.isEnabled()
    # A model with a missing file can be downloaded again.
    card = card_of(page, "mlx-community/Phi-4-mini-instruct-4bit")
    assert card.facts.text() == "Incomplete: download it again."
    card.main_button.click()
    assert library.asked == [("add", "mlx-community/Phi-4-mini-instruct-4bit")]
    card = card_of(page, FOREIGN)
    card.ask_removal(RemovalPlan(FOREIGN, (), 350_000_000, True))
    library.show(downloading(LARGER))
    assert card.facts.text().startswith("Delete this model? (350\u00a0MB) Other apps")
    assert card.main_button.text() == "Delete"
    card.remove_button.click()
    assert card.main_button.text() == "Chat"


def test_a_model_of_another_app_is_shown_with_its_name_and_cannot_be_removed(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    inventory = library.inventory
    assert inventory is not None
    moved = [replace(one, source="lm-studio") if one.id == FOREIGN else one for one in inventory.installed]
    library.inventory = replace(inventory, installed=tuple(moved))
    card = card_of(open_page(window, INSTALLED), FOREIGN)
    assert card.facts.text() == "LM Studio"
    assert card.main_button.text() == "Chat"
    assert card.remove_button.isHidden()


def test_chat_switches_and_comes_back_to_the_composer(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, library, _ = open_shown(pair=("starter/main", "starter/draft"))
    models = window.session.models
    card_of(open_page(window, INSTALLED), FOREIGN).main_button.click()
    assert window.settings.isHidden()
    qtbot.waitUntil(lambda: not models.pair.loading and models.pair.paths[0] == path_of(FOREIGN))
    # A finished download is announced with a way to chat.
    library.settled.emit(downloading(MAIN, "ready"))
    assert window.banner_text == "Qwen3 8B · 4-bit is ready."
    window.press_banner()
    qtbot.waitUntil(lambda: not models.pair.loading and models.pair.paths == (path_of(MAIN), path_of(DRAFT)))


def test_downloads_have_their_states_buttons_and_a_badge_in_the_header(open_shown: OpenShown) -> None:
    window, library, _ = open_shown()
    page = open_page(window)
    states = {
        "queued": ("Pause", "Waiting in queue"),
        "resolving": ("Pause", "Getting the file list…"),
        "downloading": ("Pause", "5.1\u00a0GB of 8.3\u00a0GB · 48\u00a0MB/s · about"),
        "verifying": ("Pause", "Verifying checksums…"),
        "paused": ("Resume", "5.1\u00a0GB of 8.3\u00a0GB · resumes where it stopped"),
    }
    for state, (button, words) in states.items():
        library.show(downloading(LARGER, state))
        (card,) = page.findChildren(DownloadCard)
        assert card.main_button.text() == button
        assert card.facts.text().startswith(words)
        assert window.header.downloads.isHidden() == (state == "paused")
    library.show(downloading(LARGER, "failed", error=HubError("disk-full", LARGER)))
    assert card.main_button.text() == "Try again"
    assert card.facts.text() == "The disk is full. Free up space, then try again; nothing is lost."
    card.main_button.click()
    library.show(downloading(LARGER, "ready"))
    assert card.main_button.isHidden()
    assert card.cancel_button.text() == "Clear"
    card.cancel_button.click()
    assert library.asked == [("resume", LARGER), ("cancel", LARGER)]


def test_search_explains_itself_and_its_failures(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    page = open_page(window, SEARCH)
    assert page.empty.text().startswith("Type part of a name")
    for searched, words in (
        (ModelSearch("x", running=True), "Searching…"),
        (ModelSearch("x", error=HubError("offline")), "Can't reach Hugging Face."),
        (ModelSearch("x"), "No MLX models match."),
    ):
        library.hub_search.searched = searched
        library.hub_search.changed.emit()
        assert page.empty.text().startswith(words)
        assert page.again.isVisible() == (searched.error is not None)
    library.hub_search.searched = ModelSearch("qwen", error=HubError("offline"))
    library.hub_search.changed.emit()
    page.again.click()
    assert library.hub_search.searched == ModelSearch("qwen", running=True)
    assert not page.again.isVisible()
    # A search ends with the button in the field or with another tab.
    for word in ("qwen", "gemma"):
        QTest.keyClicks(page.field, word)
        (clear,) = (button for button in page.field.findChildren(QToolButton) if button.isVisible())
        QTest.mouseClick(clear, Qt.MouseButton.LeftButton)
        assert page.field.text() == ""
        assert page.empty.text().startswith("Type part of a name")
    for tab in ("Recommended", "Installed"):
        QTest.keyClicks(page.field, "qwen")
        next(button for button in page.findChildren(QPushButton) if button.text() == tab).click()
        assert page.field.text() == ""
        assert page.cards
        assert library.hub_search.searched == ModelSearch()


def test_a_first_run_offers_pairs_and_gets_out_of_the_way(open_shown: OpenShown) -> None:
    window, library, _ = open_shown(bare(), ("starter/main", "starter/draft"))
    first = open_page(window).cards[0]
    assert (first.entry.is_starter, first.badge.text()) == (True, "in use")
    window.settings.close()
    window.offer.refresh()
    row = window.offer.row
    assert (row.size_shown.text().replace("\u00a0", " "), row.badge.text()) == ("1.8 GB", "Quick")
    window.offer.row.button.click()
    first = library.inventory.offers[0]
    assert library.asked == [("add", first.id), ("add", first.draft)]
    # The pair is announced once, when both models are there.
    library.show(downloading(first.id, "ready"), downloading(first.draft))
    library.settled.emit(library.downloads[0])
    assert window.banner_text == ""
    library.show(downloading(first.id, "ready"), downloading(first.draft, "ready"))
    library.settled.emit(library.downloads[1])
    assert window.banner_text == f"{first.name} · 4-bit is ready."
    assert window.banner_button.text() == "Chat"
    # Turned down, it takes little room and can still be reached.
    window.offer.starter_button.click()
    assert window.edit.hasFocus()
    assert library.settings.values.offer_seen
    assert row.isVisible()
    assert window.offer.starter_button.isHidden()


@pytest.mark.parametrize("size", [param((1440, 900), marks=full), (900, 600), param((560, 420), marks=full)])
def test_the_greeting_stays_where_it_is_when_the_offer_comes_and_goes(
    open_shown: OpenShown, qapp: Application, size: tuple[int, int]
) -> None:
    window, library, _ = open_shown(bare(), ("starter/main", "starter/draft"))
    known = library.inventory
    hello = next(label for label in window.findChildren(QLabel) if label.property("styleClass") == "hello")
    for language in LANGUAGES:
        qapp.language.choose(language)
        library.inventory = None
        window.offer.refresh()
        window.resize(size[0] - 1, size[1])
        window.resize(*size)
        settle_layouts()
        places = [hello.mapTo(window.window, QPoint(0, 0)).y()]
        library.inventory = known
        for comes in (window.offer.refresh, window.offer.hide):
            comes()
            settle_layouts()
            places.append(hello.mapTo(window.window, QPoint(0, 0)).y())
        assert len(set(places)) == 1, (language, places)


def test_what_was_fetched_as_a_draft_is_offered_as_a_draft(open_settings: OpenShown, qtbot: QtBot) -> None:
    window, library, engine = open_settings(pair=(path_of(MAIN), None))
    picker = window.picker("draft")
    picker.open()
    picker.select([one.id for one in picker.choices].index(LARGER))
    picker.press(Qt.Key.Key_Return)
    here = replace(library.inventory.entry(LARGER), source="cache", path=path_of(LARGER), installed=True)
    library.inventory = replace(library.inventory, installed=(*library.inventory.installed, here))
    library.settled.emit(downloading(LARGER, "ready"))
    assert window.banner_button.text() == "Use as draft"
    window.press_banner()
    qtbot.waitUntil(lambda: engine.pair.draft is not None)
    assert str(engine.pair.draft.path) == path_of(LARGER)
    assert str(engine.pair.main.path) == path_of(MAIN)


@pytest.mark.parametrize("language", LANGUAGE)
@pytest.mark.parametrize("size", [(760, 480), param((1200, 820), marks=full)])
def test_no_text_is_cut_off_in_the_settings(
    open_settings: OpenShown, qapp: Application, qtbot: QtBot, language: str, size: tuple[int, int]
) -> None:
    window, library, _ = open_settings()
    library.show(downloading(LARGER), downloading(DRAFT, "paused"))
    qapp.language.choose(language)
    window.settings.resize(*size)
    assert size[0] >= window.settings.minimumWidth()
    for page_id in PAGES:
        window.settings.open(page_id)
        wait_until_nothing_is_cut(window.settings, qtbot)
    for tab in (INSTALLED, SEARCH, RECOMMENDED):
        open_page(window, tab)
        wait_until_nothing_is_cut(window.settings, qtbot)


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGE)
def test_no_card_reaches_beyond_the_page(
    open_settings: OpenShown, qapp: Application, qtbot: QtBot, language: str
) -> None:
    window, library, _ = open_settings()
    library.show(downloading(LARGER, "failed", error=HubError("gated", LARGER)))
    qapp.language.choose(language)
    for width in (window.settings.minimumWidth(), 900, 1200):
        for tab in (INSTALLED, RECOMMENDED):
            page = open_page(window, tab)
            window.settings.resize(width, 600)
            area = page.findChild(QScrollArea)
            qtbot.waitUntil(lambda area=area: area.widget().width() <= area.viewport().width())


@pytest.mark.parametrize("language", LANGUAGE)
@pytest.mark.parametrize(
    "size", [param((1440, 900), marks=full), param((900, 600), marks=full), param((790, 600), marks=full), (560, 420)]
)
def test_no_text_is_cut_off_in_the_pickers_and_the_offer(
    open_shown: OpenShown, qapp: Application, qtbot: QtBot, language: str, size: tuple[int, int]
) -> None:
    qapp.language.choose(language)
    window, library, _ = open_shown(bare(), ("starter/main", "starter/draft"))
    window.offer.refresh()
    window.resize(*size)
    wait_until_nothing_is_cut(window, qtbot)
    for inventory in (stocked(), bare()):
        library.inventory = inventory
        for picker in (window.picker("main"), window.picker("draft")):
            picker.open()
            wait_until_nothing_is_cut(window, qtbot)
            picker.close()
