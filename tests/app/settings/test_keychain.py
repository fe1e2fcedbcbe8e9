"""The token in the system's keychain, which a keychain in memory replaces."""

from __future__ import annotations

from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring

from app.settings.keychain import Keychain


class Memory(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


@pytest.fixture(autouse=True)
def own_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


def test_a_token_is_kept_for_its_hub_only() -> None:
    keyring.set_keyring(Memory())
    assert Keychain().write("https://one", "secret")
    assert Keychain().read("https://one") == "secret"
    assert Keychain().read("https://two") is None


def test_without_a_keychain_there_is_no_token_and_none_is_kept() -> None:
    keyring.set_keyring(NoKeyring())
    assert Keychain().read("https://one") is None
    assert not Keychain().write("https://one", "secret")
