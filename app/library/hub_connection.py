"""The connection to the Hub that the settings and the token in the keychain give."""

from __future__ import annotations

import threading
from dataclasses import replace

from app.settings.declarations import SettingsValues
from app.settings.keychain import Keychain
from engine.hub.client import HUGGING_FACE, HubAccess, HubClient, check_access
from engine.hub.failures import HubError
from engine.hub.values import AccessReport

# Seconds that a connection test, which a person watches, waits for the Hub.
_CHECK_S = 8.0


class HubConnection:
    """The client in use. Thread-safe; every call may block."""

    def __init__(self, keychain: Keychain) -> None:
        self._keychain = keychain
        self._lock = threading.Lock()
        self._client: HubClient | None = None

    def access_of(self, values: SettingsValues) -> HubAccess:
        """Return how the Hub is reached with these settings and the token that is kept for it."""
        endpoint = values.hub_endpoint or HUGGING_FACE
        return HubAccess(endpoint, self._keychain.read(endpoint), values.proxy or None, offline=values.work_offline)

    def check(self, values: SettingsValues) -> AccessReport:
        """Test the connection with these settings. Raises `HubError`."""
        return check_access(replace(self.access_of(values), stall_s=_CHECK_S))

    def keep_token(self, values: SettingsValues, token: str) -> bool:
        """Store the token for the Hub of these settings. Return False if there is no keychain."""
        return self._keychain.write(values.hub_endpoint or HUGGING_FACE, token)

    def connect(self, access: HubAccess) -> None:
        """Use this access from now on; requests under way with another one end with an error."""
        with self._lock:
            self._close()
            self._client = HubClient(access)

    def close(self) -> None:
        """Close the client, which ends its requests. Safe to call twice."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def client(self) -> HubClient:
        """Return the client in use. Raises `HubError` (offline) before `connect` and after `close`."""
        with self._lock:
            if self._client is None:
                raise HubError("offline")
            return self._client
