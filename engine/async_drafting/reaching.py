"""Which asynchronous drafter an engine has: none, a process with its draft model, or one on another computer."""

from __future__ import annotations

import logging
from functools import partial

from engine.async_drafting.link import Connect, DrafterLink, in_a_process, on_another_computer
from engine.async_drafting.serving import vocabulary_digest
from engine.loading import LoadedModel
from engine.settings import EngineSettings

log = logging.getLogger(__name__)

# Where `tandem drafter serve` listens.
DEFAULT_PORT = 8799


class AsyncDrafters:
    """Owns the one link that an engine has. Called by the engine's thread."""

    def __init__(self) -> None:
        self._link: DrafterLink | None = None
        self._key: tuple[object, ...] = ()

    def link(self, draft: LoadedModel, settings: EngineSettings) -> DrafterLink | None:
        """The link for a draft model as the settings say; what another one needed is ended. None for an address that
        is none.
        """
        connect = _connect(draft, settings)
        key = (draft.info.path, settings.async_drafter == "remote", settings.drafter_address, settings.drafter_secret)
        if connect is None or key != self._key:
            self.close()
        if connect is not None and self._link is None:
            self._link, self._key = DrafterLink(connect, partial(vocabulary_digest, draft)), key
        return self._link

    @property
    def running(self) -> bool:
        """Whether there is a link that was not given up."""
        return self._link is not None and self._link.state != "gone"

    def close(self) -> None:
        """End the drafter, if there is one."""
        link, self._link = self._link, None
        if link is not None:
            link.close()


def address_of(text: str) -> tuple[str, int] | None:
    """Host and port of "host:port", "[host]:port" or "host"; None for anything else."""
    host, colon, port = text.strip().rpartition(":")
    if not colon or (host.count(":") and not host.endswith("]")):
        host, port = text.strip(), str(DEFAULT_PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        return None
    return host, int(port)


def _connect(draft: LoadedModel, settings: EngineSettings) -> Connect | None:
    if settings.async_drafter != "remote":
        return partial(in_a_process, draft.info.path)
    address = address_of(settings.drafter_address)
    if address is None or not settings.drafter_secret:
        return None
    return partial(on_another_computer, *address, settings.drafter_secret.encode())
