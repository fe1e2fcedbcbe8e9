"""Opens the main window on a real engine and runs it until it is closed."""

from __future__ import annotations

import gc
import logging
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.conversations.backups import restore
from app.conversations.database.errors import StoreError
from app.conversations.opening import is_open_elsewhere
from app.library.library import Library
from app.session.session import Session
from app.settings.declarations import SettingsValues
from app.settings.relocation import MoveRefused, finish_interrupted_move, move_folder
from app.settings.store import SettingsStore
from app.system import crash
from app.system.log_buffer import LOG_BUFFER
from app.system.opened_pages import remove_pages
from app.system.paths import cache_folder, data_folder, settings_folder
from app.system.single_instance import SingleInstance
from app.widgets.application import Application
from app.widgets.throttle import single_shot
from app.window.main_window import MainWindow, prepare_answers
from engine import Engine, starter_pair
from engine.machine.macos import lacks_accelerator_kernels, needs_newer_macos

log = logging.getLogger(__name__)

# Importing the library delays the engine's imports. After this time a pair that still loads is being read from disk.
_LIBRARY_WAITS_MS = 3000
_LIBRARY_FOLLOWS_MS = 400
# A window that is hidden or minimised is not painted.
_PAINTED_WITHIN_MS = 500


def open_window(
    application: Application, preferences: SettingsStore | None = None, chats: Path | None = None
) -> tuple[MainWindow, Session]:
    """Show the window with its session, and start loading a pair once the window has been painted, then the library.

    The pair is the last one of `preferences`, if its files still exist, otherwise the starter pair. `chats` is the file
    of the store; None means the user's own.
    """
    session = Session(Engine, starter_pair(), chats)
    library = Library(preferences or SettingsStore(settings_folder() / "settings.json"))
    window = MainWindow(session, application, library)
    if needs_newer_macos():
        window.notifications.show_old_macos()
    if preferences is not None:
        session.models.changed.connect(partial(_remember, session, preferences))
    main, draft = _wanted(session, preferences)
    session.models.announce(main, draft)
    window.show()
    _FirstPaint(window, partial(_load, session, main, draft, partial(_prepare, window, library)))
    session.models.changed.connect(partial(_start_once_loaded, session, library))
    QTimer.singleShot(_LIBRARY_WAITS_MS, library, library.start)
    return window, session


def _prepare(window: MainWindow, library: Library) -> None:
    prepare_answers()
    library.background.run(partial(_remove_unused_caches, library.settings.values))
    library.background.run(_lacks_kernels, window.notifications.show_accelerators, owner=window)


def _lacks_kernels() -> bool:
    # Imported off the Qt thread: psutil would delay the first frame.
    from engine.machine.facts import chip

    return lacks_accelerator_kernels(chip())


def _remove_unused_caches(values: SettingsValues) -> None:
    from app.settings.disk_use import remove_unused_caches

    remove_unused_caches(values)


class _FirstPaint(QObject):
    """Calls `load` once the window has been painted, or after `_PAINTED_WITHIN_MS` without a paint.

    A timer of 0 ms would come before the first paint, because Qt paints when no other event is left.
    """

    def __init__(self, window: QWidget, load: Callable[[], object]) -> None:
        super().__init__(window)
        self._window = window
        self._load = load
        self._timer = single_shot(self, self._go_on)
        self._timer.start(_PAINTED_WITHIN_MS)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            # The window's children are painted with it, before the timer.
            self._window.removeEventFilter(self)
            self._timer.start(0)
        return super().eventFilter(watched, event)

    def _go_on(self) -> None:
        self._window.removeEventFilter(self)
        self._load()
        self.deleteLater()


def _load(session: Session, main: str, draft: str | None, prepare: Callable[[], None]) -> None:
    """Start loading the pair, and `prepare` for answers while it is read.

    Imports on two threads delay each other, so `prepare` waits for the engine's status, which follows its imports.
    """
    if main != str(session.models.starter_pair[0]):
        Thread(target=_start_prompt_process, name="prompt", daemon=True).start()
    # A model that was opened in the Finder is loaded instead.
    if session.models.pair.wanted == main:
        session.models.load(main, draft)
    session.models.call_engine(lambda engine: engine.status(), lambda _: prepare())


def _start_prompt_process() -> None:
    """Start the prompt process, which takes as long as the engine's imports."""
    from engine.tokenizers.prompt_process import PROMPT_PROCESS

    PROMPT_PROCESS.start()


def _start_once_loaded(session: Session, library: Library) -> None:
    if not session.models.pair.loading:
        # The answer to a question that waited for the models comes first.
        QTimer.singleShot(_LIBRARY_FOLLOWS_MS, library, library.start)


def move_chats(preferences: SettingsStore) -> MoveRefused | None:
    """Move the chats to the folder chosen in the settings. Return why that failed, or None."""
    finish_interrupted_move(data_folder())
    wanted = preferences.values.move_chats_to
    if not wanted:
        return None
    if is_open_elsewhere(data_folder() / "chats.db"):
        # The other window would continue to write to the removed files.
        return MoveRefused("in-use")
    preferences.change(move_chats_to="")
    try:
        move_folder(data_folder(), Path(wanted))
    except MoveRefused as refused:
        return refused
    return None


def restore_chats(preferences: SettingsStore) -> Path | Exception | None:
    """Restore the backup chosen in the settings.

    Return the file that keeps the chats from before; after a failure, which changes nothing, the error; None if no
    backup was chosen.
    """
    chosen = preferences.values.restore_backup
    if not chosen:
        return None
    preferences.change(restore_backup="")
    try:
        return restore(data_folder() / "chats.db", chosen)
    except (OSError, StoreError) as error:
        log.info("the backup %s was not restored", chosen, exc_info=True)
        return error


def remove_all(preferences: SettingsStore) -> None:
    """Remove all files that Tandem keeps on this computer. No process may have them open."""
    from app.api.local_api import KEY_NAME
    from app.settings.disk_use import remove_everything
    from app.settings.keychain import Keychain
    from app.tools.servers import ToolSettings
    from engine.hub.client import HUGGING_FACE

    hubs = {HUGGING_FACE, preferences.values.hub_endpoint or HUGGING_FACE}
    servers = ToolSettings(data_folder() / "tools.json", Keychain())
    for folder in remove_everything(hubs.union(servers.entries, (KEY_NAME,))):
        print(f"tandem: {folder} could not be removed completely. Delete it by hand.", file=sys.stderr)


def _wanted(session: Session, preferences: SettingsStore | None) -> tuple[str, str | None]:
    """Return the paths of the main and the draft model to load."""
    if preferences is not None:
        main = preferences.values.main_model
        draft = preferences.values.draft_model
        if main and (Path(main) / "config.json").exists():
            return main, draft or None
    starter = session.models.starter_pair
    return str(starter[0]), str(starter[1])


def _remember(session: Session, preferences: SettingsStore) -> None:
    """Store the pair once it is loaded, so that a model that crashes the program is not loaded at every start."""
    pair = session.models.pair
    if pair.loading or pair.main is None:
        return
    main = str(pair.main.path)
    draft = str(pair.draft.path) if pair.draft is not None else ""
    is_starter = (main, draft) == tuple(map(str, session.models.starter_pair))
    preferences.change(main_model="" if is_starter else main, draft_model="" if is_starter else draft)


def show_window(language: str | None = None) -> int:
    """Run the application until its window is closed, and return the exit code.

    If it is already running, bring its window to the front instead.
    """
    instance = SingleInstance(cache_folder(), data_folder())
    if not instance.claim():
        print("Tandem is already open. Its window is now in front.")
        return 0
    try:
        return _run_window(instance, language)
    finally:
        instance.close()


def _run_window(instance: SingleInstance, language: str | None) -> int:
    # Not a `background.Background`: the last change must be on disk at the end, and there is no application yet.
    disk = ThreadPoolExecutor(1, thread_name_prefix="preferences")
    preferences = SettingsStore(settings_folder() / "settings.json", submit=disk.submit)
    if preferences.values.remove_everything:
        # The last run ended before all was removed.
        remove_all(preferences)
        preferences = SettingsStore(settings_folder() / "settings.json", submit=disk.submit)
    remove_pages()
    refused = move_chats(preferences)
    restored = restore_chats(preferences)
    crashed = crash.start_watching()
    application = Application(sys.argv[:1], language or preferences.values.language)
    application.theme.set_mode(preferences.values.theme)
    LOG_BUFFER.start()
    # Python handles Ctrl-C only when Qt next calls into it; the default action ends the program at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window, session = open_window(application, preferences)
    gc_policy = GcPolicy(session)
    instance.listen(window.come_to_front, window)
    crash.catch_in_slots(window.notifications.show_error)
    window.updates.check_daily()
    if refused is not None:
        window.notifications.show_move_refusal(refused)
    if restored is not None:
        window.notifications.show_restored(restored)
    if crashed is not None:
        window.notifications.show_crash_report(crashed)
    code = application.exec()
    remove_pages()
    gc_policy.close()
    session.close()
    crash.stop_watching()
    disk.shutdown()
    if preferences.values.remove_everything:
        remove_all(preferences)
    return code


# In seconds.
SWITCH_S = 0.0005
_INTERVAL_MS = 1000
# So many new objects justify collecting the youngest generation.
_YOUNG_OBJECTS = 2_000
# So many new objects justify collecting everything.
_MANY_OBJECTS = 100_000


class GcPolicy(QObject):
    """Sets the switch interval and replaces automatic collection, from construction until `close`.

    A thread that waits for the interpreter lock requests it only after the switch interval; at the default of 5 ms a
    round of a fast model would wait longer than it takes. Python collects on whichever thread allocates, but only the
    Qt thread may delete Qt objects, so a timer of that thread collects instead.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._models = session.models
        self._switch_before = sys.getswitchinterval()
        self._since_full = 0
        self._frozen = False
        sys.setswitchinterval(SWITCH_S)
        gc.disable()
        session.models.changed.connect(self._models_changed)
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the youngest generation, or everything, if there are enough new objects."""
        young = gc.get_count()[0]
        if young < _YOUNG_OBJECTS:
            return
        self._since_full += young
        everything = self._since_full >= _MANY_OBJECTS
        gc.collect(2 if everything else 0)
        if everything:
            self._since_full = 0

    def _models_changed(self) -> None:
        """Exempt everything that exists when the first model is loaded from collection, since it stays until the end.

        After later changes of models collect everything, because a few leftover objects could hold much memory.
        """
        if not self._frozen and self._models.pair.main is not None:
            self._frozen = True
            gc.freeze()
        elif self._frozen and not self._models.pair.loading:
            gc.collect()

    def close(self) -> None:
        """Restore Python's own settings."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
        sys.setswitchinterval(self._switch_before)
