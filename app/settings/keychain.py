"""The Hub token in the system's keychain. No file or log of Tandem has it."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)

_SERVICE = "Tandem"


class Keychain:
    """The system's keychain. Calls may prompt the user, so they must not run on the Qt thread."""

    def read(self, endpoint: str) -> str | None:
        """Return the token for one Hub; None without a token or a keychain."""
        import keyring
        from keyring.errors import KeyringError

        try:
            return keyring.get_password(_SERVICE, endpoint) or None
        except KeyringError:
            log.info("no keychain can be read")
            return None

    def write(self, endpoint: str, token: str) -> bool:
        """Store the token for one Hub; False if that failed."""
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(_SERVICE, endpoint, token)
        except KeyringError:
            log.info("no keychain can be written")
            return False
        return True

    def remove(self, endpoint: str) -> None:
        """Remove the token for one Hub, if there is one."""
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.delete_password(_SERVICE, endpoint)
        except KeyringError:
            log.info("no token to remove from the keychain")
