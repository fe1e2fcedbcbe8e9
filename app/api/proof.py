"""How the server of the local API proves that it has the key, before a client sends the key itself.

The client proves first, so that only a client with the key can ask the server for a proof. Both proofs contain the
address at which the server was reached, so that a program that listens at another address cannot use them. A proof
allows its receiver to search for the key, which finds a short one; the keys that Tandem makes are random.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping

PATH = "/proof"
_NONCE_BYTES = 32
# More than a nonce or a proof in hexadecimal.
_LONGEST = 128


def question(key: str, address: str) -> dict[str, str]:
    """Return the parameters with which a client asks the server at `address`, such as "127.0.0.1:8642"."""
    nonce = secrets.token_hex(_NONCE_BYTES)
    return {"nonce": nonce, "proof": _proof("client", key, address, nonce)}


def answer(key: str, address: str, asked: Mapping[str, str]) -> str | None:
    """Return the server's proof, or None if the one who asks does not have the key."""
    nonce = asked.get("nonce", "")
    proof = asked.get("proof", "")
    if len(nonce) > _LONGEST or not _is_same(proof, _proof("client", key, address, nonce)):
        return None
    return _proof("server", key, address, nonce)


def is_answer(answer: object, key: str, address: str, asked: Mapping[str, str]) -> bool:
    """Whether `answer` is what only a server with the key answers to the parameters `asked`."""
    return isinstance(answer, str) and _is_same(answer, _proof("server", key, address, asked["nonce"]))


def address_of(host: str, port: int) -> str:
    """Return the address as a URL has it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _proof(role: str, key: str, address: str, nonce: str) -> str:
    return hmac.digest(key.encode(), f"Tandem's local API, {role}: {address} {nonce}".encode(), "sha256").hex()


def _is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
