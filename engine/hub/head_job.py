"""The download of an MTP head: the ranges of a few shards, joined into a model folder of its own."""

from __future__ import annotations

import hashlib
import os

from engine.files.atomic_file import write_atomically
from engine.hub.client import HubClient
from engine.hub.download_job import DownloadJob
from engine.hub.failures import HubError
from engine.hub.head_plan import HeadPlan, find_head, plan_head
from engine.hub.transfer import Transfer, digest_of, disk_error
from engine.hub.values import Listing, RemoteFile
from engine.model_files.safetensors_header import CutOffFileError, DamagedHeaderError, read_header


class HeadJob(DownloadJob):
    """Fetches the head of `entry.head_of`, or of the model that it was made from, and keeps it under the entry's name.

    A later run continues at the end of the bytes that arrived, at the same commit. The Hub has no checksum for a part
    of a file: lengths and the header are checked here, the numbers when the head is loaded.
    """

    def _download(self, client: HubClient) -> bool:
        plan = self._planned(client)
        if plan is None:
            return False
        self._prepare()
        file = plan.weights
        listing = Listing(plan.repository, plan.commit, (file,))
        self._begin(listing)
        if self._is_kept(file):
            return True
        self._check_free_space(listing)
        self._on_change(self, "downloading")
        transfer = Transfer(client, self.cache, plan.repository, plan.commit, self._count, self._failed_attempt)
        if not transfer.fetch(file):
            return False
        self._on_change(self, "verifying")
        return self._publish_head(plan)

    def _planned(self, client: HubClient) -> HeadPlan | None:
        """Plan the download, at the commit that an earlier run began with; None if interrupted."""
        entry = self.entry

        def ask() -> HeadPlan:
            if entry.commit:
                return plan_head(client, entry.head_of, entry.commit)
            plan = find_head(client, entry.head_of, entry.revision)
            entry.head_of, entry.commit = plan.repository, plan.commit
            return plan

        return self._until_answered(ask)

    def _is_kept(self, file: RemoteFile) -> bool:
        """Whether the cache has the head already, with unchanged bytes; a changed blob is deleted."""
        path = self.cache.snapshot(self.entry.commit) / file.name
        try:
            name = os.path.basename(os.readlink(path))
        except OSError:
            return False
        kept = RemoteFile(file.name, file.size, name)
        whole = self.cache.has(kept) and digest_of(path, kept, self.connections.stop) == name
        if not whole:
            self.cache.blob(name).unlink(missing_ok=True)
        return whole

    def _publish_head(self, plan: HeadPlan) -> bool:
        file = plan.weights
        blob = self.cache.blob(file.digest)
        try:
            read_header(blob)
        except (CutOffFileError, DamagedHeaderError) as error:
            blob.unlink(missing_ok=True)
            raise HubError("checksum", self.entry.repository, file=file.name) from error
        digest = hashlib.sha256(plan.config).hexdigest()
        try:
            # Like other blobs it is named by its checksum from now on.
            content = digest_of(blob, file, self.connections.stop)
            if content is None:
                return False
            os.replace(blob, self.cache.blob(content))
            self.entry.digests = {content, digest}
            write_atomically(self.cache.blob(digest), plan.config)
            self.cache.link(plan.commit, file.name, content)
            self.cache.link(plan.commit, "config.json", digest)
            self.cache.write_ref("main", plan.commit)
        except OSError as error:
            raise disk_error(error, self.cache) from error
        self.entry.bytes_done = file.size
        return True
