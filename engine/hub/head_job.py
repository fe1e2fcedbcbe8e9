"""The download of an MTP head: the ranges of a few shards, one behind the other, into a model folder of its own."""

from __future__ import annotations

import hashlib
import os

from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_object
from engine.files.folder_paths import open_regular
from engine.hub.cache_layout import RepositoryCache
from engine.hub.client import HubClient
from engine.hub.download_job import DownloadJob
from engine.hub.failures import HubError, InterruptedTransferError
from engine.hub.head_plan import HeadPlan, Span, find_head, plan_head
from engine.hub.repository_names import COMMIT, parse_repository
from engine.hub.transfer import digest_of, disk_error, open_part
from engine.hub.values import RemoteFile
from engine.model_files.safetensors_header import CutOffFileError, DamagedHeaderError, read_header

_WEIGHTS = "model.safetensors"
# Read at once of a shard that is in the cache.
_PIECE = 2**24


class HeadJob(DownloadJob):
    """Fetches the head of `entry.head_of`, or of the model that was made from, and keeps it under the entry's own name.

    What has arrived is a file that grows at its end; a later run goes on there, at the same commit. The Hub has no
    checksum for a part of a file: lengths and the header are checked here, the numbers when the head is loaded.
    """

    def _download(self, client: HubClient) -> bool:
        plan = self._planned(client)
        if plan is None:
            return False
        try:
            self.cache.prepare()
        except OSError as error:
            raise HubError("not-writable", self.entry.repository, path=str(self.cache.blobs)) from error
        file = RemoteFile(_WEIGHTS, plan.size, plan.digest)
        self._begin_head(file, plan)
        if self._is_kept(file):
            return True
        self._check_space(plan.size - self.cache.present_bytes(file))
        self._on_change(self, "downloading")
        with self.cache.writing(file.digest, self.connections.stop) as locked:
            if not locked or not (self.cache.has(file) or self._fetch(client, plan, file)):
                return False
        self._on_change(self, "verifying")
        return self._publish_head(plan, file)

    def _planned(self, client: HubClient) -> HeadPlan | None:
        """What to fetch, at the commit that an earlier run began with; None if interrupted."""
        entry, attempt = self.entry, 0
        while not self._stopped():
            try:
                if not entry.commit:
                    entry.head_of, entry.commit = self._kept_source()
                if entry.commit:
                    return plan_head(client, entry.head_of, entry.commit)
                plan = find_head(client, entry.head_of, entry.revision)
                entry.head_of, entry.commit = plan.repository, plan.commit
                return plan
            except InterruptedTransferError as error:
                attempt = self._failed_attempt("", attempt, error)
        return None

    def _kept_source(self) -> tuple[str, str]:
        """Where the head comes from that is kept as the entry's revision, which is a commit then; else "" for that."""
        try:
            config = read_object(self.cache.snapshot(self.entry.revision) / "config.json", CONFIG)
        except UntrustedJsonError:
            return self.entry.head_of, ""
        source, commit = config.get("base_model"), config.get("base_revision")
        if not isinstance(source, str) or commit != self.entry.revision or not COMMIT.fullmatch(self.entry.revision):
            return self.entry.head_of, ""
        return parse_repository(source), self.entry.revision

    def _is_kept(self, file: RemoteFile) -> bool:
        """Whether the head is there already, every byte as it was when it arrived."""
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

    def _begin_head(self, file: RemoteFile, plan: HeadPlan) -> None:
        progress = self.progress
        with progress.lock:
            progress.attempts.clear()
            progress.total, progress.files_total = file.size, len(plan.shards)
            progress.lengths = {file.name: self.cache.present_bytes(file)}
        self.entry.bytes_total = file.size
        self.entry.digests = {file.digest, _config_digest(plan)}

    def _fetch(self, client: HubClient, plan: HeadPlan, file: RemoteFile) -> bool:
        """Append what is missing of the file; False if interrupted."""
        try:
            descriptor = open_part(self.cache.part(file.digest))
        except OSError as error:
            raise disk_error(error, self.cache) from error
        try:
            length = os.fstat(descriptor).st_size
            if not len(plan.header) <= length <= file.size:
                os.ftruncate(descriptor, 0)
                length = _write(descriptor, plan.header, 0)
            attempt = 0
            while length < file.size and not self._stopped():
                before = length
                try:
                    length = self._append(client, plan, file, descriptor, length)
                except InterruptedTransferError as error:
                    length = os.fstat(descriptor).st_size
                    attempt = self._failed_attempt(file.name, 0 if length > before else attempt, error)
            if length < file.size:
                return False
            os.fsync(descriptor)
        except OSError as error:
            raise disk_error(error, self.cache) from error
        finally:
            os.close(descriptor)
        os.replace(self.cache.part(file.digest), self.cache.blob(file.digest))
        return True

    def _append(self, client: HubClient, plan: HeadPlan, file: RemoteFile, descriptor: int, length: int) -> int:
        """One request for the rest of the span that `length` lies in; returns the new length."""
        end = len(plan.header)
        for span in plan.spans:
            end += span.stop - span.start
            if length < end:
                break
        start = span.stop - (end - length)
        if (here := self._in_cache(plan, span, start)) is not None:
            length = _write(descriptor, here, length)
            self._count(file, 0, length)
            return length
        address = client.file_address(plan.repository, plan.commit, span.shard)
        headers = {"Range": f"bytes={start}-{span.stop - 1}"}
        with client.stream(address, plan.repository, headers, accept=(200, 206)) as response:
            skip = start if response.status_code == 200 else 0
            try:
                for chunk in response.iter_raw():
                    data = chunk[skip:][: end - length]
                    skip = max(0, skip - len(chunk))
                    length = _write(descriptor, data, length)
                    self._count(file, len(chunk), length)
                    if length == end or self._stopped():
                        return length
            except (ValueError, RuntimeError) as error:
                # Reading from a connection that was shut down fails in many ways.
                raise InterruptedTransferError("offline") from error
        raise InterruptedTransferError("offline")

    def _in_cache(self, plan: HeadPlan, span: Span, start: int) -> bytes | None:
        """The next bytes of a span from `start` on, of the main model's own shard where the cache has it whole."""
        source = RepositoryCache(self.cache.cache_dir, plan.repository)
        shard = source.snapshot(plan.commit) / span.shard
        try:
            with open_regular(shard) as opened:
                opened.seek(start)
                found = opened.read(min(_PIECE, span.stop - start))
        except OSError:
            return None
        return found or None

    def _publish_head(self, plan: HeadPlan, file: RemoteFile) -> bool:
        blob = self.cache.blob(file.digest)
        try:
            read_header(blob)
        except (CutOffFileError, DamagedHeaderError) as error:
            blob.unlink(missing_ok=True)
            raise HubError("checksum", self.entry.repository, file=_WEIGHTS) from error
        digest = _config_digest(plan)
        try:
            # From now on its name is its checksum, as those of other blobs are.
            content = digest_of(blob, file, self.connections.stop)
            if content is None:
                return False
            os.replace(blob, self.cache.blob(content))
            self.entry.digests = {content, digest}
            write_atomically(self.cache.blob(digest), plan.config)
            self.cache.link(plan.commit, _WEIGHTS, content)
            self.cache.link(plan.commit, "config.json", digest)
            self.cache.write_ref("main", plan.commit)
        except OSError as error:
            raise disk_error(error, self.cache) from error
        with self.progress.lock:
            self.progress.files_done = self.progress.files_total
        self.entry.bytes_done = file.size
        return True


def _write(descriptor: int, data: bytes, position: int) -> int:
    """Write all of `data`, which a disk that fills up may take in parts; returns the position behind it."""
    view = memoryview(data)
    while view:
        count = os.pwrite(descriptor, view, position)
        position, view = position + count, view[count:]
    return position


def _config_digest(plan: HeadPlan) -> str:
    return hashlib.sha256(plan.config).hexdigest()
