"""The window's library of models: installed, available, being downloaded, and drafts for each.

Nothing here blocks: disk and network work runs in the background and its results come back to the Qt thread. Views
read the plain data and listen to the signals.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversations.measured import factors
from app.library.hub_search import HubSearch
from app.settings.keychain import Keychain
from app.system.background import Background
from app.system.paths import cache_folder, data_folder, resource
from engine.errors import EngineError, as_engine_error
from engine.hub.repository_names import split_name

if TYPE_CHECKING:
    # Imported off the Qt thread: huggingface_hub would delay the first frame.
    from app.conversations.measured import MeasuredPairs
    from app.conversations.request_history import Totals
    from app.library.entries import Entry
    from app.library.hub_options import HubOptions, LibraryPaths
    from app.library.hub_service import HubService
    from app.library.inventory import Inventory
    from app.settings.store import SettingsStore
    from engine.advice.pairing import PairAdvice
    from engine.hub.download_state import DownloadStatus
    from engine.hub.values import AccessReport, RemovalPlan

# Milliseconds between two looks at the downloads.
_POLL_MS = 250
# The same while all downloads wait for the network.
_WAITING_POLL_MS = 2000
_THREADS = 4

T = TypeVar("T")


def default_paths() -> LibraryPaths:
    """Return where this user's models and downloads are."""
    from app.library.hub_options import LibraryPaths

    return LibraryPaths(
        queue=data_folder() / "downloads.json",
        index=cache_folder() / "models.json",
        small_files=cache_folder() / "hub",
        starter=resource("starter"),
    )


class Library(QObject):
    """Belongs to the window, which closes it, and does nothing before `start`.

    settled: carries the status of a download that is ready (after a new scan of the disk) or has failed
    problem: carries an error to show
    inventory: the result of the newest scan; None before the first one
    downloads: all downloads, as they were at the last look
    hub_search: the search that the person types
    background: runs other work off the Qt thread
    """

    models_changed = Signal()
    downloads_changed = Signal()
    advice_changed = Signal(str)
    measured_changed = Signal()
    settled = Signal(object)
    problem = Signal(object)

    def __init__(
        self,
        settings: SettingsStore,
        paths: Callable[[], LibraryPaths] = default_paths,
        keychain: Keychain | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.settings = settings
        self.background = Background("library", _THREADS, self)
        self.inventory: Inventory | None = None
        # How many scans were begun, and the number of the one whose inventory this is.
        self._scans = self._newest_scan = 0
        self.downloads: tuple[DownloadStatus, ...] = ()
        self._measured: MeasuredPairs = {}
        self._paths = paths
        self._keychain = keychain or Keychain()
        self._hub: HubService | None = None
        self._opening = threading.Lock()
        # The error of an unusable mirror, which must not hide models.
        self._unconfigured: EngineError | None = None
        self._options: HubOptions | None = None
        self._device_limit: int | None = None
        self._machines: tuple[int, ...] = ()
        self._advice: dict[str, tuple[PairAdvice, ...]] = {}
        self._asked: set[str] = set()
        self._started = self._polling = self._closed = False
        # Whether the downloads have changed since the look under way began.
        self._must_poll = False
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._poll)
        self.hub_search = HubSearch(self._call, self)
        settings.subscribe(self._reconfigure)

    def start(self) -> None:
        """Scan the disk for the first time and continue the downloads of the last run. Safe to call again."""
        if not self._started and not self._closed:
            self._started = True
            self._call(lambda _: self._unconfigured, then=self._opened)

    def close(self) -> None:
        """Stop everything and wait for it. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._timer.stop()
        self.hub_search.stop()
        # Closing the hub service ends its work; one that was still opening is closed afterwards.
        self.background.close(wait=False)
        self._close_hub()
        self.background.close()
        self._close_hub()

    def _close_hub(self) -> None:
        if self._hub is not None:
            self._hub.close()

    def _service(self) -> HubService:
        """Return the hub service, off the Qt thread; the first call opens it."""
        from app.library.hub_service import HubService

        with self._opening:
            if self._hub is None:
                hub = HubService(self._paths(), self._keychain)
                self._options = self._options_now()
                self._hub = hub
                try:
                    hub.configure(self._options)
                except EngineError as error:
                    self._unconfigured = error
            return self._hub

    def _opened(self, problem: EngineError | None) -> None:
        if problem is not None:
            self.problem.emit(problem)
        self._call(lambda hub: hub.installed.last_scan(), then=self._take_last_scan)
        self._refresh()

    def _take_last_scan(self, inventory: Inventory | None) -> None:
        if self.inventory is None and inventory is not None:
            self.inventory = inventory
            self.models_changed.emit()

    def _refresh(self) -> None:
        self.rescan()
        self._poll_again()

    def _reconfigure(self) -> None:
        if self._hub is None or self._closed:
            return
        options = self._options_now()
        if options != self._options:
            self._options = options
            self._call(lambda hub: hub.configure(options), then=lambda _: self._refresh())

    def _options_now(self) -> HubOptions:
        from app.library.hub_options import HubOptions, deciding

        return HubOptions(deciding(self.settings.values), self._device_limit, self._machines)

    def keep_token(self, token: str, then: Callable[[bool], object]) -> None:
        """Store the token in the system's keychain and reconnect with it; `then` gets whether that worked."""
        values = self.settings.values
        self._call(lambda hub: hub.keep_token(values, token), then=then)

    def check_access(self, then: Callable[[AccessReport], object], failed: Callable[[EngineError], object]) -> None:
        """Test the connection with the current mirror, proxy and token."""
        values = self.settings.values
        self._call(lambda hub: hub.connection.check(values), then=then, failed=failed)

    def rescan(self, then: Callable[[], None] | None = None) -> None:
        """Scan the disk again; `models_changed` follows, then `then` is called.

        If a scan that began later has ended by then, only `then` is called. If the scan fails, `problem` follows alone.
        """
        self._scans += 1
        scan = self._scans

        def take(inventory: Inventory) -> None:
            # Scans run side by side, and an earlier one may end later.
            if scan > self._newest_scan:
                self._newest_scan = scan
                self.inventory = inventory
                self._asked.clear()
                self.models_changed.emit()
            if then is not None:
                then()

        self._call(lambda hub: hub.installed.scan(), then=take)

    def advice(self, path: str) -> tuple[PairAdvice, ...] | None:
        """Return the verdicts on drafts for the main model in `path`, None if there are none yet.

        If models or figures have changed since, drafts are judged again, and `advice_changed` is emitted with `path`.
        """
        if path not in self._asked and self.inventory is not None:
            self._asked.add(path)
            measured = factors(self.measured_with(path))
            self._call(
                lambda hub: hub.advice.for_main(path, measured),
                then=lambda advice: self._take_advice(path, advice),
                failed=lambda _: self._take_advice(path, ()),
            )
        return self._advice.get(path)

    def _take_advice(self, path: str, advice: tuple[PairAdvice, ...]) -> None:
        self._advice[path] = advice
        self.advice_changed.emit(path)

    def measured_with(self, path: str) -> dict[str, Totals]:
        """Return the measured figures of drafts for the main model in `path`, by the drafts' ids."""
        if self.inventory is None:
            return {}
        main = self.inventory.at(path)
        name = main.recorded_as if main is not None else Path(path).name
        ids = {entry.recorded_as: entry.id for entry in self.inventory.installed}
        return {ids.get(draft, draft): totals for (of, draft), totals in self._measured.items() if of == name}

    def take_measured(self, measured: MeasuredPairs) -> None:
        """Set the figures of all stored answers. With another speed-up drafts are judged again."""
        if measured == self._measured:
            return
        before = {pair: totals.speedup for pair, totals in self._measured.items()}
        if before != {pair: totals.speedup for pair, totals in measured.items()}:
            self._asked.clear()
        self._measured = measured
        self.measured_changed.emit()

    def take_memory_limit(self, limit: int) -> None:
        """Judge models by the bytes that the engine admits, unless the user set a limit."""
        if not self.settings.values.memory_limit_gb and limit != self._device_limit:
            self._device_limit = limit
            self._reconfigure()

    def take_machines(self, free: tuple[int, ...]) -> None:
        """Judge models also by the bytes that several Macs may use, this one first; () if unknown."""
        if free != self._machines:
            self._machines = free
            self._reconfigure()

    @property
    def running(self) -> int:
        """The number of downloads that run or are queued."""
        return sum(status.runs for status in self.downloads)

    @property
    def arriving(self) -> bool:
        """Whether a download runs that does not wait for the network, which may take hours."""
        return any(status.runs and not status.waits_for_network for status in self.downloads)

    def get(self, *repositories: str) -> None:
        """Download models, or continue their downloads."""
        for repository in repositories:
            self._add_download(repository)

    def _add_download(self, repository: str) -> None:
        self._change_download(lambda hub: hub.downloads.add(repository))

    def pause(self, repository: str) -> None:
        """Stop a download and keep the parts that it has."""
        self._change_download(lambda hub: hub.downloads.pause(repository))

    def resume(self, repository: str) -> None:
        """Continue a download that was paused, failed or waits for the network."""
        self._change_download(lambda hub: hub.downloads.resume(repository))

    def cancel(self, repository: str) -> None:
        """Stop a download and delete its files; one that is finished is only unlisted."""
        self._change_download(lambda hub: hub.downloads.cancel(repository))

    def _change_download(self, change: Callable[[HubService], None]) -> None:
        """Run `change` off the Qt thread, then look at the downloads."""
        self._call(change, then=lambda _: self._poll_again())

    def _poll_again(self) -> None:
        """Look at the downloads; if a look is under way, which may have come too early, look again after it."""
        self._must_poll = self._polling
        self._poll()

    def _poll(self) -> None:
        """Look at the downloads, unless a look is under way."""
        if not self._polling:
            self._polling = True
            self._must_poll = False
            self._call(lambda hub: hub.downloads.statuses(), then=self._take_downloads, failed=self._poll_failed)

    def _poll_failed(self, error: EngineError) -> None:
        self._polling = False
        self.problem.emit(error)
        if self._must_poll:
            self._poll()

    def _take_downloads(self, downloads: tuple[DownloadStatus, ...]) -> None:
        """Store the result of a look, emit the changes since the look before, and plan the next one.

        The disk is scanned again if a download has become ready, or has left the list: its files may be deleted.
        """
        self._polling = False
        before = {status.repository: status for status in self.downloads}
        changed = downloads != self.downloads
        self.downloads = downloads
        for status in downloads:
            was = before.get(status.repository)
            if was is not None and was.state != "ready" and status.state == "ready":
                self.rescan(then=partial(self.settled.emit, status))
            elif was is not None and was.runs and status.state == "failed":
                self.settled.emit(status)
        if before.keys() - {status.repository for status in downloads}:
            self.rescan()
        if self.running:
            self._timer.start(_POLL_MS if self.arriving else _WAITING_POLL_MS)
        else:
            self._timer.stop()
        if changed:
            self.downloads_changed.emit()
        if self._must_poll:
            self._poll()

    def page_of(self, repository: str) -> str:
        """Return the address of a model's page on the Hub in use."""
        endpoint = self.settings.values.hub_endpoint or "https://huggingface.co"
        return f"{endpoint.rstrip('/')}/{split_name(repository)[0]}"

    def check(self, path: str) -> None:
        """Compare a model's files with their checksums and download damaged ones again, shown as a download."""
        self._change_download(lambda hub: hub.files.check(path))

    def plan_removal(self, path: str, then: Callable[[RemovalPlan], object]) -> None:
        """Plan the removal of a model; `then` gets the plan."""
        self._call(lambda hub: hub.files.plan_removal(path), then=then)

    def remove(self, plan: RemovalPlan) -> None:
        """Delete a model, or move one of the person's own to the trash, and scan the disk again."""

        def failed(error: EngineError) -> None:
            self.problem.emit(error)
            # A part of it may be gone.
            self._refresh()

        self._call(lambda hub: hub.files.remove(plan), then=lambda _: self._refresh(), failed=failed)

    def lists_of(self, entry: Entry) -> tuple[str, ...]:
        """Return the folders that the person has added in which the model was found."""
        if entry.source != "folder":
            return ()
        place = Path(entry.gguf.source if entry.gguf else entry.path)
        return tuple(folder for folder in self.settings.values.model_folders if place.is_relative_to(folder))

    def add_folder(self, folder: str, then: Callable[[], None]) -> None:
        """Search this folder for models from now on; `then` is called once it was searched."""
        known = self.settings.values.model_folders
        if folder not in known:
            self.settings.change(model_folders=(*known, folder))
        options = self._options_now()
        self._call(lambda hub: hub.configure(options), then=lambda _: self.rescan(then))

    def unlist(self, folders: Collection[str]) -> None:
        """Search these added folders no longer; their files stay."""
        folders_left = tuple(folder for folder in self.settings.values.model_folders if folder not in folders)
        self.settings.change(model_folders=folders_left)

    def _call(
        self,
        work: Callable[[HubService], T],
        then: Callable[[T], object],
        failed: Callable[[EngineError], object] | None = None,
    ) -> None:
        """Run `work` off the Qt thread, and pass on its result, or its error to `failed` or by `problem`."""
        self.start()
        report = failed or self.problem.emit
        self.background.run(lambda: work(self._service()), then, lambda error: report(as_engine_error(error)))
