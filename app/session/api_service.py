"""The local API in the window: it serves the loaded models, and loads others when a client asks.

The request history gets the figures of its answers, never their text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from app.conversations.request_history import ProgramRequest
from app.session.model_service import ModelService
from app.settings.keychain import Keychain
from app.system.accounts import others_have_accounts
from app.system.background import Background
from app.widgets.throttle import single_shot
from engine.errors import CodedError
from engine.requests import SpeculationSettings
from engine.status import LoadedPair

if TYPE_CHECKING:
    # The server's libraries must not delay the window, and most users never switch the server on.
    from app.api.activity import ApiCall
    from app.api.local_api import ApiStatus, LocalApi

# Changes are shown this long after they were reported, and the figures of calls under way are read this often.
_REFRESH_MS = 250
# Where a server listens that all addresses of this computer reach.
_EVERY = "0.0.0.0"


@dataclass(frozen=True)
class ApiChoice:
    """The user's settings of the API.

    `network` lets other computers connect. Clients need a key if others can reach it: over the network, or with
    accounts on this computer. `origins` are web pages that may call it.
    """

    serve: bool = False
    port: int = 0
    network: bool = False
    origins: tuple[str, ...] = ()
    model_folders: tuple[Path, ...] = ()
    same_text: bool = False


class ApiService(QObject):
    """Starts and stops the server as chosen. `changed` is emitted after changes, at most a few times a second.

    `status` is None while the server does not run, `problem` the error that prevents it from running, and `key` the key
    that clients must send, "" for none. `calls_ended` carries the figures of newly ended calls as `ProgramRequest`s.
    """

    changed = Signal()
    calls_ended = Signal(object)
    # A client changes the draft model of the window's main model: its path, and the engine's future.
    _draft_asked = Signal(str, object)
    # The state of a call has changed, or the server has ended. Emitted on the server's and the engine's threads.
    _reported = Signal()

    def __init__(self, models: ModelService, parent: QObject, secrets: Callable[[], Any] = Keychain) -> None:
        super().__init__(parent)
        self._models = models
        self._secrets = secrets
        self._choice = ApiChoice()
        self._background = Background("local-api", parent=self)
        self._api: LocalApi | None = None
        self._host: Any = None
        # Filled on the server's and the engine's threads.
        self._just_ended: deque[ApiCall] = deque()
        self.status: ApiStatus | None = None
        self.problem: CodedError | None = None
        self.key = ""
        self._timer = single_shot(self, self._look, _REFRESH_MS)
        self._reported.connect(self._look_soon, Qt.ConnectionType.QueuedConnection)
        self._draft_asked.connect(models.adopt_draft, Qt.ConnectionType.QueuedConnection)
        models.changed.connect(self._pair_changed)

    @property
    def ended(self) -> tuple[ApiCall, ...]:
        """The calls that ended most recently, the newest last."""
        return self._api.ended if self._api is not None else ()

    def configure(self, choice: ApiChoice) -> None:
        """Apply `choice`, now or once there is an engine."""
        if choice != self._choice:
            self._choice = choice
            self._restart()

    def renew_key(self) -> None:
        """Make another key; clients with the old one are refused."""
        self._restart(renew=True)

    def close(self) -> None:
        """Stop serving for good."""
        self._timer.stop()
        self._background.close()
        if self._api is not None:
            self._api.stop()
        self._pass_on_ended()
        self.status = None

    def _pair_changed(self) -> None:
        """Show clients another pair, or start the server now that there is an engine."""
        if self._host is not None:
            self._show_pair()
        elif self._choice.serve:
            self._restart()

    def _show_pair(self) -> None:
        """Pass the loaded models on to the server, whose clients then see them."""
        pair = self._models.pair
        if not pair.loading:
            self._host.use(self._models.engine, LoadedPair(pair.main, pair.draft, pair.draft_problem))

    def _restart(self, *, renew: bool = False) -> None:
        """Start or stop the server as chosen, in the background, once there is an engine. `renew` makes a new key."""
        choice = self._choice
        if self._models.made and (choice.serve or self._api is not None):
            if self._host is None:
                from app.api.engine_host import EngineHost

                self._host = EngineHost(self._models.engine, asked=self._draft_asked.emit)
            self._show_pair()
            self._host.folders = choice.model_folders
            self._background.run(lambda: self._serve(choice, renew), self._served, owner=self)

    def _serve(self, choice: ApiChoice, renew: bool) -> tuple[str, CodedError | None]:
        """Stop or start the server; return the key and the error that keeps it from serving. Runs in the background."""
        from app.api.guard import ApiSettings
        from app.api.local_api import ANY_HOST, KEY_NAME, LocalApi, kept_key, new_key

        api = self._api = self._api or LocalApi(self._host, self._note, self._reported.emit)
        if not choice.serve:
            api.stop()
            return "", None
        key = ""
        if choice.network or others_have_accounts():
            store = self._secrets()
            if renew:
                store.write(KEY_NAME, new_key())
            # Without a keychain, the key is for this run only.
            key = kept_key(store) or ("" if renew else self.key) or new_key()
        host = ANY_HOST if choice.network else ApiSettings.host
        try:
            speculation = SpeculationSettings(same_text=choice.same_text)
            api.start(ApiSettings(host, choice.port, key or None, choice.origins, speculation))
        except CodedError as error:
            return key, error
        return key, None

    def _served(self, outcome: tuple[str, CodedError | None]) -> None:
        """Show the key and the problem that `_serve` returned."""
        self.key, self.problem = outcome
        self._look()
        self.changed.emit()

    def _note(self, call: ApiCall) -> None:
        """Record a change of a call. Runs on the server's or the engine's thread."""
        if call.ended:
            self._just_ended.append(call)
        self._reported.emit()

    def _pass_on_ended(self) -> None:
        """Emit the figures of the calls that have ended since the last call of this method."""
        requests: list[ProgramRequest] = []
        while self._just_ended:
            requests += _answers_of(self._just_ended.popleft())
        if requests:
            self.calls_ended.emit(requests)

    def _look_soon(self) -> None:
        """Look at the server within _REFRESH_MS, once however often this is called."""
        if not self._timer.isActive():
            self._timer.start()

    def _look(self) -> None:
        """Emit what has changed since the last call."""
        self._pass_on_ended()
        before = self.status
        status = self._api.status if self._api is not None else None
        self.status = status if status is not None and status.serving else None
        if self.status is not None and _EVERY in self.status.address:
            # Other computers would take it for an address of their own.
            own_address = network_address() or "127.0.0.1"
            self.status = replace(self.status, address=self.status.address.replace(_EVERY, own_address))
        if self.status is not None and self.status.under_way:
            self._look_soon()
        if self.status != before:
            self.changed.emit()


def network_address() -> str:
    """Return an address by which other computers reach this one; "" without a network."""
    # Imported here because it would delay the first frame.
    from PySide6.QtNetwork import QAbstractSocket, QNetworkInterface

    for address in QNetworkInterface.allAddresses():
        is_v4 = address.protocol() == QAbstractSocket.NetworkLayerProtocol.IPv4Protocol
        if is_v4 and not (address.isLoopback() or address.isLinkLocal()):
            return address.toString()
    return ""


def _answers_of(call: ApiCall) -> list[ProgramRequest]:
    """Return the answers of an ended call as rows of the history, without empty ones that did not fail."""
    ended = call.began + (call.seconds or 0.0)
    return [
        ProgramRequest(call.client, call.endpoint, ended, call.main, call.draft, call.method, reason, stats)
        for stats, reason in zip(call.stats, call.reasons, strict=True)
        if stats.generated_tokens or reason == "failed"
    ]
