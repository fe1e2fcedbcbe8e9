"""The Hub token in the system's keychain: never in a file or a log of ours."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)

_SERVICE = "Tandem"


class Keychain:
    """Calls may ask the user for leave, so they belong on a pool's thread."""

    def read(self, endpoint: str) -> str | None:
        """The token for one Hub; None where there is none, or no keychain."""
        import keyring
        from keyring.errors import KeyringError

        try:
            return keyring.get_password(_SERVICE, endpoint) or None
        except KeyringError:
            log.info("no keychain can be read")
            return None

    def write(self, endpoint: str, token: str) -> bool:
        """Keep the token for one Hub; whether that worked."""
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(_SERVICE, endpoint, token)
        except KeyringError:
            log.info("no keychain can be written")
            return False
        return True
