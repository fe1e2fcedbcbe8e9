"""The models as the window knows them: what is here, what could be, what is on its way, and what goes with what.

Nothing here blocks: disk and network work runs on a pool and comes back to Qt's thread through a bridge. Views read
the plain data and listen for what changed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.library.finder import Finder
from app.library.hub_options import hub_options_of
from app.library.measured import Measured, MeasuredPairs
from app.session.bridge import Bridge, as_engine_error
from app.settings.keychain import Keychain
from app.system.paths import cache_folder, data_folder, resource
from engine.errors import EngineError

if TYPE_CHECKING:
    from app.library.hub_service import HubService, Inventory, LibraryPaths
    from app.settings.store import SettingsStore
    from engine.advice.pairing import PairAdvice
    from engine.hub.access_check import AccessReport
    from engine.hub.download_state import DownloadStatus
    from engine.hub.remove import RemovalPlan
    from engine.hub.verify import VerifyReport

_POLL_MS = 250
_RUNNING = frozenset({"queued", "resolving", "downloading", "verifying"})


def default_paths() -> LibraryPaths:
    """Where this user's models and downloads are."""
    from app.library.hub_service import LibraryPaths

    return LibraryPaths(
        queue=data_folder() / "downloads.json",
        index=cache_folder() / "models.json",
        small_files=cache_folder() / "hub",
        starter=resource("starter"),
    )


class Library(QObject):
    """Does nothing before `start`. Owned by the window, which closes it.

    `settled` carries the status of a download that is now ready (after what is here has been looked at again) or has
    failed; `problem` an error that a person caused and should read; `verified` a path and its report. `damaged` holds
    the reports of models that were checked and are not as they were published.
    """

    models_changed = Signal()
    downloads_changed = Signal()
    advice_changed = Signal(str)
    measured_changed = Signal()
    settled = Signal(object)
    problem = Signal(object)
    verified = Signal(str, object)

    def __init__(
        self,
        settings: SettingsStore,
        paths: Callable[[], LibraryPaths] = default_paths,
        keychain: Keychain | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.settings = settings
        self.inventory: Inventory | None = None
        self.downloads: tuple[DownloadStatus, ...] = ()
        self._measured: MeasuredPairs = {}
        self._kept: MeasuredPairs = {}
        self._learned: MeasuredPairs = {}
        self.verifying: set[str] = set()
        self.damaged: dict[str, VerifyReport] = {}
        self._paths, self._keychain = paths, keychain or Keychain()
        self._options = hub_options_of(settings.values)
        self._pool: ThreadPoolExecutor | None = None
        self._hub: HubService | None = None
        self._bridge = Bridge(self)
        self._advice: dict[str, tuple[PairAdvice, ...]] = {}
        self._asked: set[str] = set()
        self._waiting: list[Callable[[], None]] = []
        self._polling = self._closed = False
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._poll)
        self.finder = Finder(self._call, self)
        settings.subscribe(self._reconfigure)

    # Life

    @property
    def started(self) -> bool:
        return self._pool is not None

    def start(self) -> None:
        """Look at the disk for the first time and go on with the downloads of the last run. Safe to call again."""
        if self._pool is None and not self._closed:
            self._pool = ThreadPoolExecutor(4, thread_name_prefix="library")
            self._run(self._open, then=self._opened, failed=self._not_opened)

    def close(self) -> None:
        """Stop everything and wait for it. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._timer.stop()
        self.finder.stop()
        self._bridge.close()
        if self._pool is not None:
            self._pool.submit(self._close_hub)
            self._pool.shutdown(wait=True)
            # It may have been opened after it was asked to close.
            self._close_hub()

    def _close_hub(self) -> None:
        if self._hub is not None:
            self._hub.close()

    def _open(self) -> EngineError | None:
        """On the pool. A mirror that is no address must not hide the models that are here, so it is returned."""
        from app.library.hub_service import HubService

        hub = HubService(self._paths(), self._keychain)
        self._hub = hub
        try:
            hub.configure(self._options)
        except EngineError as error:
            return error
        return None

    def _opened(self, problem: EngineError | None) -> None:
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            call()
        if problem is not None:
            self.problem.emit(problem)
        self._look()

    def _look(self) -> None:
        self.rescan()
        self._poll()

    def _not_opened(self, error: EngineError) -> None:
        self._waiting = []
        self.problem.emit(error)

    def _reconfigure(self) -> None:
        if self._hub is None or self._closed:
            return
        options = hub_options_of(self.settings.values)
        if options != self._options:
            self._options = options
            self._call(lambda hub: hub.configure(options), then=lambda _: self._look())

    def on_pool(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do something else that blocks; `then` gets what comes of it. `work` must not raise."""
        self.start()
        self._run(work, then)

    def keep_token(self, token: str, then: Callable[[bool], None]) -> None:
        """Put the token into the system's keychain and connect again with it; `then` hears whether that worked."""
        options = self._options

        def keep(hub: HubService) -> bool:
            kept = hub.keep_token(options.endpoint, token)
            if kept:
                hub.configure(options)
            return kept

        self._call(keep, then=then)

    def check_access(self, then: Callable[[AccessReport], None], failed: Callable[[EngineError], None]) -> None:
        """Try the mirror, the proxy and the token as they are set now; one of the two hears how that went."""
        options = hub_options_of(self.settings.values)
        self._call(lambda hub: hub.check_access(options), then=then, failed=failed)

    # What there is

    def rescan(self, then: Callable[[], None] | None = None) -> None:
        """Look at the disk again; `models_changed` follows, and then `then` is called."""

        def take(inventory: Inventory) -> None:
            self.inventory = inventory
            self._advice.clear()
            self._asked.clear()
            self.models_changed.emit()
            if then is not None:
                then()

        self._call(lambda hub: hub.scan(), then=take)

    def advice(self, path: str) -> tuple[PairAdvice, ...] | None:
        """Verdicts on drafts for the main model in `path`; None until `advice_changed` says that they are there."""
        if path in self._advice:
            return self._advice[path]
        if path not in self._asked and self.inventory is not None:
            self._asked.add(path)
            measured = {id_: one.speedup for id_, one in self.measured_with(path).items()}
            self._call(
                lambda hub: hub.advise(path, measured),
                then=lambda advice: self._take_advice(path, advice),
                failed=lambda _: self._take_advice(path, ()),
            )
        return None

    def _take_advice(self, path: str, advice: tuple[PairAdvice, ...]) -> None:
        self._advice[path] = advice
        self.advice_changed.emit(path)

    def measured_with(self, path: str) -> dict[str, Measured]:
        """What drafts have brought to the main model in `path` on this machine, by their ids."""
        if self.inventory is None:
            return {}
        main = self.inventory.at(path)
        name = main.recorded_as if main is not None else Path(path).name
        ids = {entry.recorded_as: entry.id for entry in self.inventory.installed}
        return {ids.get(draft, draft): one for (of, draft), one in self._measured.items() if of == name}

    def take_measured(self, measured: MeasuredPairs) -> None:
        """The figures of all answers so far; advice that they change is worked out again."""
        self._take_figures(measured, self._learned)

    def take_learned(self, learned: MeasuredPairs) -> None:
        """What the engine knows of pairs, for those of which no answer is kept."""
        self._take_figures(self._kept, learned)

    def _take_figures(self, kept: MeasuredPairs, learned: MeasuredPairs) -> None:
        self._kept, self._learned = kept, learned
        measured = {**learned, **kept}
        if measured == self._measured:
            return
        self._measured = measured
        self._advice.clear()
        self._asked.clear()
        self.measured_changed.emit()

    # Downloads

    @property
    def running(self) -> int:
        """How many downloads are on their way or wait for their turn."""
        return sum(status.state in _RUNNING for status in self.downloads)

    def get(self, *repositories: str) -> None:
        """Download models, or go on with them."""
        for repository in repositories:
            self._command("add", repository)

    def pause(self, repository: str) -> None:
        self._command("pause", repository)

    def resume(self, repository: str) -> None:
        self._command("resume", repository)

    def cancel(self, repository: str) -> None:
        """Stop a download and take back what has arrived; of a finished one only the line goes."""
        self._command("cancel", repository)

    def _command(self, name: str, repository: str) -> None:
        self._call(lambda hub: hub.command(name, repository), then=lambda _: self._poll())

    def _poll(self) -> None:
        if not self._polling:
            self._polling = True
            self._call(lambda hub: hub.downloads(), then=self._take_downloads, failed=self._poll_failed)

    def _poll_failed(self, error: EngineError) -> None:
        self._polling = False
        self.problem.emit(error)

    def _take_downloads(self, downloads: tuple[DownloadStatus, ...]) -> None:
        self._polling = False
        before = {status.repository: status.state for status in self.downloads}
        changed = downloads != self.downloads
        self.downloads = downloads
        for status in downloads:
            was = before.get(status.repository)
            if was in _RUNNING and status.state == "ready":
                self.rescan(then=partial(self.settled.emit, status))
            elif was in _RUNNING and status.state == "failed":
                self.settled.emit(status)
        if before.keys() - {status.repository for status in downloads}:
            self.rescan()
        if self.running:
            self._timer.start()
        else:
            self._timer.stop()
        if changed:
            self.downloads_changed.emit()

    # Care

    def page_of(self, repository: str) -> str:
        """The address of a model's page on the Hub in use."""
        return f"{(self._options.endpoint or 'https://huggingface.co').rstrip('/')}/{repository}"

    def repair(self, path: str) -> None:
        """Fetch again what of a model is damaged; its download says how that gets on."""
        self.damaged.pop(path, None)
        self._call(lambda hub: hub.repair(path), then=lambda _: self._poll())
        self.models_changed.emit()

    def verify(self, path: str) -> None:
        """Check every file of a model; `verified` follows."""

        def take(report: VerifyReport | None) -> None:
            self.verifying.discard(path)
            self.damaged.pop(path, None)
            if report is not None and (report.damaged or report.missing):
                self.damaged[path] = report
            self.models_changed.emit()
            if report is not None:
                self.verified.emit(path, report)

        def fail(error: EngineError) -> None:
            self.verifying.discard(path)
            self.models_changed.emit()
            self.problem.emit(error)

        if path not in self.verifying:
            self.verifying.add(path)
            self.models_changed.emit()
            self._call(lambda hub: hub.verify(path), then=take, failed=fail)

    def plan_removal(self, path: str, then: Callable[[RemovalPlan], None]) -> None:
        """Work out what a removal frees and hand it to `then`."""
        self._call(lambda hub: hub.plan_removal(path), then=then)

    def remove(self, plan: RemovalPlan) -> None:
        self._call(lambda hub: hub.remove(plan), then=lambda _: self._look())

    # The pool

    def _call(
        self,
        work: Callable[[HubService], Any],
        then: Callable[[Any], None],
        failed: Callable[[EngineError], None] | None = None,
    ) -> None:
        """Do `work` with the hub, once it is open."""

        def on_pool() -> Any:
            assert self._hub is not None
            return work(self._hub)

        self.start()
        if self._hub is None:
            self._waiting.append(partial(self._run, on_pool, then, failed))
        else:
            self._run(on_pool, then, failed)

    def _run(
        self,
        work: Callable[[], Any],
        then: Callable[[Any], None],
        failed: Callable[[EngineError], None] | None = None,
    ) -> None:
        if self._closed or self._pool is None:
            return

        def done(future: Future[Any]) -> None:
            error = future.exception()
            if error is None:
                then(future.result())
            else:
                (failed or self.problem.emit)(as_engine_error(error))

        self._bridge.watch(self._pool.submit(work), done)
