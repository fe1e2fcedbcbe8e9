"""The errors of the Hub: one type with a reason code and its arguments."""

from __future__ import annotations

from typing import ClassVar

from engine.errors import EngineError


class HubError(EngineError):
    """A search, download, check or removal failed.

    `reason` is a key of `REASONS`; `arguments` holds what its sentence needs beside `repository`.
    """

    code = "hub"

    REASONS: ClassVar[dict[str, str]] = {
        "offline": "Hugging Face cannot be reached: check the connection",
        "kept-offline": "no connection is tried while working offline: turn that off in the settings",
        "proxy": "the proxy cannot be reached or refuses: check its address in the settings",
        "certificate": "the certificate of Hugging Face is not trusted on this computer",
        "wrong-mirror": "{endpoint} does not respond like Hugging Face: check the mirror's address",
        "server-error": "Hugging Face answers with error {status}: try again later",
        "too-slow": "Hugging Face takes too long to answer: try again later",
        "rate-limited": "Hugging Face is rate-limiting requests: try again later",
        "bad-name": "{repository} is not the name of a repository (organization/name)",
        "missing": "there is no such repository, or it is private: check the name, or add a token for it",
        "revision-missing": "the repository has no revision {revision}",
        "file-missing": "Hugging Face no longer has {file}",
        "gated": "its authors ask for consent first: accept the terms on its page, then add a token",
        "forbidden": "the token may not read this repository",
        "token-refused": "Hugging Face rejects the token: it is wrong, expired or revoked",
        "not-mlx": "the repository has no MLX weights (safetensors with a config.json)",
        "unsafe-name": "the repository names a file outside its folder ({file})",
        "no-space": "{needed} bytes are needed and {free} are free",
        "disk-full": "the disk is full",
        "not-writable": "{path} cannot be written to",
        "checksum": "{file} failed its checksum twice: try again later",
        "no-head": "it has no MTP head",
        "head-not-shipped": "its configuration declares an MTP head, but none of its files has one",
        "head-unknown": "its MTP head is of a kind that Tandem cannot run yet ({family})",
        "not-installed": "it is not on this computer",
        "in-use": "another program is downloading it",
        "built-in": "it is part of Tandem",
        "other-app": "it belongs to {app}, which can remove it",
        "in-main": "it is part of the model's own files",
        "own-folder": (
            "it is in a folder of your own, {path}, which Tandem never deletes: take the folder off the list in the "
            "settings, or delete it yourself"
        ),
        "no-trash": "{path} cannot be moved to the trash",
    }

    def __init__(self, reason: str, repository: str = "", **arguments: str | int) -> None:
        self.reason, self.repository = reason, repository
        sentence = self.REASONS[reason].format(repository=repository, **arguments)
        super().__init__(
            f"{repository}: {sentence}" if repository and reason != "bad-name" else sentence,
            reason=reason,
            repository=repository,
            **arguments,
        )


class InterruptedTransferError(HubError):
    """A request that may succeed if repeated. `retry_after` is the seconds that the server asked to wait, if any."""

    def __init__(
        self, reason: str, repository: str = "", retry_after: float | None = None, **arguments: str | int
    ) -> None:
        super().__init__(reason, repository, **arguments)
        self.retry_after = retry_after
