"""The download of a part of a model: for a machine that computes some of its layers, or that only plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.hub.client import HubClient
from engine.hub.download_job import DownloadJob
from engine.hub.values import Listing


class PartJob(DownloadJob):
    """As `DownloadJob`, for the files whose names are `wanted`. What they lack, a later download of all fetches."""

    def __init__(self, *arguments: Any, wanted: Callable[[str], bool]) -> None:
        super().__init__(*arguments)
        self._wanted = wanted

    def _listed(self, client: HubClient) -> Listing:
        whole = super()._listed(client)
        return replace(whole, files=tuple(file for file in whole.files if self._wanted(file.name)))
