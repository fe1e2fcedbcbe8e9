"""Takes pictures of the window for review: `python -m tests.tools.screenshots FOLDER [PICTURES]`.

They show the main states on a scripted engine, light and dark, in four languages and three sizes, or only in the
`--languages` and `--modes` that are named. The pictures of the READMEs, which need all of them, are also written to
PICTURES, in 256 colours.
"""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

# A screen with two pixels for each point, as Macs have.
if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_name('sharp_screen.json')}"
    os.environ["QT_SCALE_FACTOR"] = "2"

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from app.conversations.request_history import ProgramRequest
from app.library.hub_search import ModelSearch
from app.models.page import INSTALLED, RECOMMENDED, SEARCH
from app.session.cluster_service import FETCHING, OFF, ON
from app.session.session import Session
from app.settings.declarations import PAGES
from app.settings_window.dialog import SettingsWindow
from app.settings_window.form import Form
from app.sidebar.pane import ChatPane
from app.system.language import LANGUAGES
from app.widgets.application import Application
from engine.hub.failures import HubError
from engine.stats import RequestStats
from tests.app.free_port import free_port
from tests.app.learned_figures import LEARNED
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import PLAIN, Script
from tests.app.shown_library import LLAMA_DRAFT, TOGETHER, ShownLibrary, bare, downloading, stocked
from tests.app.two_answers import OFTEN_RIGHT, SECOND, SELDOM_RIGHT
from tests.tools.notice_pictures import notices
from tests.tools.opened_pictures import opened_parts
from tests.tools.shown_chats import fill
from tests.tools.shown_machines import found_machines
from tests.tools.shown_texts import ANSWERS, PATTERN, QUESTIONS, THOUGHTS_AND_FORMULAS
from tests.tools.state_pictures import states
from tests.tools.window_pictures import SIZES, opened, rest, save, save_each_size, settle

MODES = ("light", "dark")
_PAIR = "mlx-community/Qwen3-8B-4bit", "mlx-community/Qwen3-0.6B-4bit"
# The pictures of the READMEs, by their file names.
IN_README = {
    "tokens-dark": "tokens-en-dark",
    "draft-picker-dark": "picker-draft-en-dark-1440",
    "models": "settings-models-en-light-1200",
    **{f"main-{code}": f"tokens-{code}-light" for code in ("ko", "ja", "zh_CN")},
    **{f"compare-{code}": f"compare-{code}-dark-1440" for code in ("ko", "ja", "zh_CN")},
}


def main(folder: Path, pictures: Path | None, languages: Sequence[str], modes: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    application = Application(["tandem"])
    for code in languages:
        application.language.choose(code)
        for mode in modes:
            application.theme.set_mode(mode)
            _answered(application, folder, f"{code}-{mode}", code)
            _tried(application, folder, f"{code}-{mode}", code)
            _at_once(application, folder, f"{code}-{mode}", code)
            _models(application, folder, f"{code}-{mode}")
            _chats(application, folder, f"{code}-{mode}")
            _own_settings(application, folder, f"{code}-{mode}")
            _under_way(application, folder, f"{code}-{mode}", code)
            _machines(application, folder, f"{code}-{mode}")
            opened_parts(application, folder, f"{code}-{mode}", code)
            notices(application, folder, f"{code}-{mode}")
    for mode in modes if "en" in languages else ():
        application.language.choose("en")
        application.theme.set_mode(mode)
        states(application, folder, mode)
    if pictures is not None:
        put_into_readmes(folder, pictures)


def put_into_readmes(folder: Path, pictures: Path) -> None:
    for name, source in IN_README.items():
        picture = QImage(str(folder / f"{source}.png")).convertToFormat(QImage.Format.Format_RGB32)
        # Quality 0 is PNG's strongest compression.
        _in_few_colours(picture).save(str(pictures / f"{name}.png"), "PNG", 0)


def _in_few_colours(picture: QImage) -> QImage:
    """Reduce a picture to its 256 most frequent colours; a window has few others except at the edges of letters."""
    pixels = np.frombuffer(picture.constBits(), dtype=np.uint32)
    colours, counts = np.unique(pixels, return_counts=True)
    kept = colours[np.argsort(counts)[::-1][:256]]
    return picture.convertToFormat(
        QImage.Format.Format_Indexed8, [int(colour) for colour in kept], Qt.ImageConversionFlag.AvoidDither
    )


def _answered(application: Application, folder: Path, name: str, code: str) -> None:
    window, session = opened(application, [Script(ANSWERS[code], PATTERN)])
    session.answers.ask(QUESTIONS[code])
    settle(application, lambda: not session.chat.streaming)
    rest(application)
    save_each_size(application, window, folder, f"answer-{name}")
    window.resize(*SIZES[0])
    window.trigger("show-tokens")
    save(application, window, folder / f"tokens-{name}.png")
    window.close()


def _at_once(application: Application, folder: Path, name: str, code: str) -> None:
    """Show two chats that answer at once, each with its own accept rate, strip and reason."""
    second, answer = SECOND[code]
    scripts = [Script(ANSWERS[code], OFTEN_RIGHT), Script(answer, SELDOM_RIGHT, round_s=0.03)]
    engine = ScriptedEngine(scripts, by_hand=True)
    window, session = opened(application, engine)
    answers = session.answers
    for count, question in enumerate((QUESTIONS[code], second), 1):
        window.trigger("new-chat")
        answers.ask(question)
        settle(application, lambda count=count: len(answers.chat_ids) == len(engine.answering) == count)
    engine.go_on(16)
    for chat, row in zip(sorted(answers.chat_ids), ("often", "seldom"), strict=True):
        session.chats.open_id(chat)
        rest(application)
        save(application, window, folder / f"at-once-{row}-{name}.png")
    window.close()


def _tried(application: Application, folder: Path, name: str, code: str) -> None:
    """Show a question that is asked again with and without speculation, and the pair tuned on this machine."""
    guessed, plain = Script(ANSWERS[code], PATTERN), Script(ANSWERS[code], (PLAIN,), round_s=0.031)
    window, session = opened(application, [guessed, Script("read"), guessed, plain, guessed, plain])
    session.answers.ask(QUESTIONS[code])
    settle(application, lambda: session.answers.ready and session.answers.is_idle)
    for width, height in SIZES:
        window.resize(width, height)
        window.trigger("compare")
        settle(application, lambda: not (session.busy or window.comparer.running))
        save(application, window, folder / f"compare-{name}-{width}.png")
        window.comparison.close_overlay()
        session.models.engine.scripts[:] = [Script("read"), guessed, plain, guessed, plain]
    window.close()


def _own_settings(application: Application, folder: Path, name: str) -> None:
    """Show thoughts, formulas, a file being attached, and the card of a chat's own settings."""
    window, session = opened(application, [Script(THOUGHTS_AND_FORMULAS, PATTERN)])
    session.answers.ask("Where are the roots?")
    settle(application, lambda: not session.chat.streaming)
    view = window.turn().view
    view.thinking.unfold()
    rest(application)
    window.write("And what if a is 0?")
    window.composer.files.begin("quadratic equations.pdf")
    for width, height in SIZES:
        window.resize(width, height)
        save(application, window, folder / f"formulas-{name}-{width}.png")
        window.trigger("chat-settings")
        save(application, window, folder / f"own-settings-{name}-{width}.png")
        window.chat_settings.close_overlay()
    window.close()


def _under_way(application: Application, folder: Path, name: str, code: str) -> None:
    """Show an answer that streams, and then a question that waits until other models are loaded."""
    window, session = opened(application, [Script(ANSWERS[code], PATTERN)])
    engine = session.models.engine
    engine.gate = threading.Semaphore(24)
    session.answers.ask(QUESTIONS[code])
    settle(application, lambda: bool(session.chat.turns) and len(session.chat.turns[0].answer.rounds) >= 20)
    rest(application)
    save_each_size(application, window, folder, f"streaming-{name}")
    engine.gate.release(1_000_000)
    settle(application, lambda: not session.chat.streaming)
    engine.load_gate, engine.gate = threading.Event(), None
    session.models.load("models/Qwen3-14B-4bit", "models/Qwen3-0.6B-4bit")
    window.ask(QUESTIONS[code])
    save_each_size(application, window, folder, f"queued-{name}")
    window.close()


def _add_history(session: Session) -> None:
    """Add a week of figures of a chat and two programs."""
    figures = RequestStats(
        generated_tokens=412, rounds=103, drafted=412, accepted=309, accept_rate=0.75, decode_tps=81.2, plain_tps=32.8,
        speedup=2.5, speedup_low=2.4, speedup_high=2.6,
    )  # fmt: skip
    # Prompt lookup finds little to copy.
    copied = RequestStats(generated_tokens=96, rounds=92, drafted=12, accepted=4, accept_rate=0.33, decode_tps=33.1)
    requests = (("OpenAI/Python 2.24.0", "auto", figures), ("Zed", "ngram", copied), ("Zed", "auto", figures))
    session.history.add(
        [
            ProgramRequest(client, "/v1/responses", 1.8e9 + 86_400 * day, *_PAIR, method, "stop", stats)
            for day, (client, method, stats) in enumerate(requests)
        ]
    )


def _models(application: Application, folder: Path, name: str) -> None:
    """Show the pickers, the pages of the settings, and the first run."""
    with TemporaryDirectory() as home:
        library = ShownLibrary(Path(home))
        window, session = opened(application, [Script("")], library=library)
        library.show(downloading("mlx-community/Qwen3-14B-4bit"))
        _add_history(session)
        session.history.add_comparison(*_PAIR, 2.5)
        settle(application, lambda: _PAIR in session.history.measured)
        for width, height in SIZES:
            window.resize(width, height)
            for role in ("main", "draft"):
                window.trigger(f"choose-{role}")
                save(application, window, folder / f"picker-{role}-{name}-{width}.png")
                window.picker(role).close()
            window.trigger("choose-draft")
            window.picker("draft").show_more()
            save(application, window, folder / f"picker-draft-more-{name}-{width}.png")
            window.picker("draft").picker.more.setChecked(False)
            window.picker("draft").close()
        library.show(
            downloading("mlx-community/Qwen3-14B-4bit"),
            downloading("mlx-community/gemma-3-12b-it-qat-4bit", "paused", bytes_done=1_700_000_000),
            downloading(
                LLAMA_DRAFT, "failed", error=HubError("no-space", LLAMA_DRAFT, needed=700_000_000, free=90_000_000)
            ),
        )
        session.models.engine.known = list(LEARNED)
        library.settings.change(api_serve=True, api_port=free_port(), api_network=True)
        settle(application, lambda: session.api.status is not None)
        for width, height in ((1200, 820), (760, 600)):
            window.settings.resize(width, height)
            for page_id in PAGES:
                window.settings.open(page_id)
                settle(application, lambda: not session.busy)
                save(application, window.settings, folder / f"settings-{page_id}-{name}-{width}.png")
                _save_end(application, window.settings, page_id, folder / f"settings-{page_id}-end-{name}-{width}.png")
            window.settings.open("models")
            window.settings.page("models").show_tab(INSTALLED)
            save(application, window.settings, folder / f"settings-installed-{name}-{width}.png")
            window.settings.page("models").show_tab(RECOMMENDED)
            library.hub_search.searched = ModelSearch("qwen", error=HubError("offline"))
            window.settings.page("models").show_tab(SEARCH)
            library.hub_search.changed.emit()
            save(application, window.settings, folder / f"settings-offline-{name}-{width}.png")
            window.settings.page("models").show_tab(RECOMMENDED)
        window.close()
        library = ShownLibrary(Path(home), bare())
        window, _ = opened(application, [Script("")], library=library, pair=("starter/main", "starter/draft"))
        window.offer.refresh()
        for width, height in SIZES:
            window.resize(width, height)
            save(application, window, folder / f"first-run-{name}-{width}.png")
        window.close()


def _machines(application: Application, folder: Path, name: str) -> None:
    """Show several Macs: a check, a download, the mark in the header, and a model that fits only on them."""
    with TemporaryDirectory() as home:
        shown = stocked()
        large = next(entry for entry in shown.catalog if entry.id == TOGETHER)
        large = replace(large, source="cache", path="models/large", draft="", installed=True, together=True)
        library = ShownLibrary(Path(home), replace(shown, installed=(*shown.installed, large)))
        window, session = opened(application, [Script(ANSWERS["en"], PATTERN)], library=library)
        library.settings.change(machines="studio.local, mini.local")
        window.settings.open("machines")
        cluster = session.cluster
        for split, state in (("tensor", OFF), ("pipeline", FETCHING), ("pipeline", ON)):
            cluster.findings, cluster.state = found_machines(split, ready=state == ON), state
            cluster.fetched = {"mini.local": (3_100_000_000, 12_300_000_000)}
            cluster.hosts = ("127.0.0.1", "studio.local", "mini.local") if state == ON else ()
            cluster.changed.emit()
            for width, height in ((1200, 820), (760, 600)):
                window.settings.resize(width, height)
                save(application, window.settings, folder / f"machines-{state}-{name}-{width}.png")
                _save_end(application, window.settings, "machines", folder / f"machines-{state}-end-{name}-{width}.png")
        window.trigger("choose-main")
        save(application, window, folder / f"machines-picker-{name}.png")
        cluster.state, cluster.hosts = OFF, ()
        window.close()


def _chats(application: Application, folder: Path, name: str) -> None:
    """Show stored chats: the list, a search, versions, an edit, an interrupted answer, the trash."""
    window, session = opened(application, [Script(ANSWERS["en"], PATTERN)])
    window.in_store(fill)
    session.chats.open_id(2)
    settle(application, lambda: not session.busy)
    for width, height in SIZES:
        window.resize(width, height)
        window.turn(0).hover()
        save(application, window, folder / f"chats-{name}-{width}.png")
    window.resize(*SIZES[0])
    window.turn(0).press_question("edit")
    save(application, window, folder / f"chats-edit-{name}.png")
    window.sidebar.search.setText("draft")
    window.find_in_chat("model")
    settle(application, lambda: not session.busy)
    save(application, window, folder / f"chats-search-{name}.png")
    window.sidebar.search.clear()
    session.chats.trash(3)
    settle(application, lambda: not session.busy)
    session.store.show_view("trashed")
    settle(application, lambda: not session.busy)
    save(application, window, folder / f"chats-trash-{name}.png")
    window.find(ChatPane).row_menu.purge_wanted.emit(3)
    save(application, window, folder / f"chats-purge-{name}.png")
    window.close()


def _save_end(application: Application, settings: SettingsWindow, page_id: str, path: Path) -> None:
    """Save the end of a page that is longer than the window."""
    page = settings.page(page_id)
    if isinstance(page, Form) and page.verticalScrollBar().maximum():
        page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
        save(application, settings, path)
        page.verticalScrollBar().setValue(0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("pictures", type=Path, nargs="?", help="also write those of the READMEs to this folder")
    parser.add_argument("--languages", nargs="+", choices=list(LANGUAGES), default=list(LANGUAGES))
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    chosen = parser.parse_args()
    main(chosen.folder, chosen.pictures, chosen.languages, chosen.modes)
