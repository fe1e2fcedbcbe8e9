"""The server as the window and the terminal use it. Plain Python, no Qt.

Every method may be called from any thread. `start` and `stop` wait for milliseconds, so not on the Qt thread.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from starlette.types import ASGIApp

from app.api.activity import Activity, ApiCall
from app.api.calls import Api
from app.api.engine_host import EngineHost
from app.api.guard import ApiSettings, is_loopback
from app.api.routes import application
from app.api.server import HttpServer
from engine.errors import CodedError

# Serves every address that this machine has.
ANY_HOST = "0.0.0.0"
KEY_NAME = "local-api"
_KEY_BYTES = 24


class KeyNeeded(CodedError):
    """Other machines can reach `host`, so a key is needed."""

    code = "api-key-needed"

    def __init__(self, host: str) -> None:
        super().__init__(f"other computers can reach {host}: serving there needs a key", host=host)


class SecretStore(Protocol):
    """The place of the key: `app.settings.keychain.Keychain`."""

    def read(self, endpoint: str) -> str | None: ...

    def write(self, endpoint: str, token: str) -> bool: ...


def kept_key(store: SecretStore) -> str | None:
    """Return the keychain's key, made if there is none; None if nothing can be kept. May ask the person."""
    if (key := store.read(KEY_NAME)) is not None:
        return key
    key = new_key()
    return key if store.write(KEY_NAME, key) else None


def new_key() -> str:
    return f"tandem-{secrets.token_urlsafe(_KEY_BYTES)}"


@dataclass(frozen=True, slots=True)
class ApiStatus:
    """The state of the server: its `address` ("" while it does not serve), and `served`, the number of ended calls."""

    address: str = ""
    local: bool = True
    under_way: tuple[ApiCall, ...] = ()
    served: int = 0

    @property
    def serving(self) -> bool:
        return bool(self.address)


class LocalApi:
    """Serves the models of `host` to other programs, from `start` to `stop`.

    `on_change` is called with a `ApiCall` when one begins, changes its state or ends: on the server's or the engine's
    thread, so it must be quick. Figures of calls under way are in `status`. `on_end` is called when the server has
    ended, whether it was stopped or not.
    """

    def __init__(
        self,
        host: EngineHost,
        on_change: Callable[[ApiCall], object] = lambda _call: None,
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        self._host = host
        self._on_end = on_end
        self._activity = Activity(on_change)
        self._server: HttpServer | None = None
        self._settings = ApiSettings()

    def start(self, settings: ApiSettings) -> None:
        """Serve with these settings instead of earlier ones. Raises `KeyNeeded` and `server.NotServing`."""
        if not is_loopback(settings.host) and not settings.key:
            raise KeyNeeded(settings.host)
        self.stop()

        def make() -> ASGIApp:
            api = Api(self._host, self._activity, settings.speculation)
            return application(api, settings)

        server = HttpServer(make, settings.host, settings.port, self._on_end, has_key=bool(settings.key))
        server.start()
        self._settings = settings
        self._server = server

    def stop(self) -> None:
        """Cancel the calls under way and stop serving. May be called twice."""
        if self._server is not None:
            self._server.stop()
        self._server = None

    @property
    def status(self) -> ApiStatus:
        """The state now; cheap enough for every frame."""
        if self._server is None or not self._server.running:
            return ApiStatus(served=self._activity.served)
        settings = self._settings
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        return ApiStatus(
            address=f"http://{host}:{self._server.port}",
            local=is_loopback(settings.host),
            under_way=self._activity.under_way,
            served=self._activity.served,
        )

    @property
    def ended(self) -> tuple[ApiCall, ...]:
        """The calls that ended last, the newest last."""
        return self._activity.ended
