"""Reads picture files in sandboxes."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple

from engine.errors import PictureNotUsable, PicturesNotInstalled, without_frames
from engine.files.reading_time import ReadingTime
from engine.pictures.picture_file import MOST_MEGABYTES, DecodedPicture, decode_picture
from engine.sandbox.errors import SandboxError
from engine.sandbox.file_reading import FileSandboxes


class _Measured(NamedTuple):
    """The size of a picture as it is shown, and the seconds that it takes to decode."""

    width: int
    height: int
    seconds: float


# Seconds of computing for a file. Ordinary pictures of the largest size that is allowed take 1 to 2; a file that is
# made to be slow, such as a JPEG with hundreds of scans, takes all of it.
DECODE_S = 10
# The seconds that each picture of a request adds to these. It is decoded twice, for its size and for the model; a photo
# of 12 megapixels takes less than half of it.
A_PICTURE_S = 1
PICTURES = FileSandboxes("engine.pictures.picture_file")
# The reason why a picture is not usable, by that for which its sandbox failed.
_REASONS = {"too-slow": "too-slow", "too-large": "too-much-memory", "no-time": "too-slow-together"}
# A picture that took more seconds is decoded for the model before its request takes a place among those being served,
# in every turn of a chat; ordinary ones only when the model reads them.
LONG_S = 2
# The most pictures whose sizes and decoding times are cached, the latest used, for the next turns of their chats.
_MOST_KNOWN = 4096
_known: OrderedDict[str, _Measured] = OrderedDict()


def digest_of(data: bytes) -> str:
    """Return the digest by which requests name a picture's file."""
    return hashlib.sha256(data).hexdigest()


def time_for(pictures: int) -> ReadingTime:
    """Return the time for the pictures of one request."""
    return ReadingTime(DECODE_S + A_PICTURE_S * pictures)


def picture_size(data: bytes, time: ReadingTime | None = None) -> tuple[int, int]:
    """Return width and height of a picture after EXIF orientation, having decoded all of it. Waits; thread-safe.

    Raises `PictureNotUsable` and `PicturesNotInstalled`, and `EngineClosed` when `time` is abandoned.
    """
    measured = _measure(data, time)
    return measured.width, measured.height


def _measure(data: bytes, time: ReadingTime | None, decoded: DecodedPicture | None = None) -> _Measured:
    """Return what is known of a picture; unless it is known, decode it, or take what was `decoded` of it.

    Waits, and raises, as `picture_size` does.
    """
    digest = digest_of(data)
    measured = _known.get(digest)
    if measured is None:
        decoded = decoded or read_picture(data, time=time)
        measured = _Measured(decoded.width, decoded.height, decoded.seconds)
        _known[digest] = measured
        if len(_known) > _MOST_KNOWN:
            _known.popitem(last=False)
    return measured


def read_picture(
    data: bytes, sizes: Sequence[tuple[int, int]] = (), resample: int = 0, time: ReadingTime | None = None
) -> DecodedPicture:
    """Decode a picture's file, and scale it to each of `sizes` (width, height) with Pillow's filter `resample`.

    Waits. Raises `PictureNotUsable`, `PicturesNotInstalled` if there are no towers, and `EngineClosed` when `time` is
    abandoned.
    """
    if not find_spec("mlx_vlm"):
        raise PicturesNotInstalled
    if len(data) > MOST_MEGABYTES * 2**20:
        raise PictureNotUsable("too-large", str(MOST_MEGABYTES))
    time = time or ReadingTime()
    try:
        return PICTURES.read(partial(decode_picture, data, list(sizes), resample), DECODE_S, time)
    except SandboxError as error:
        limits = {"too-slow": f"{DECODE_S:g}", "no-time": f"{time.seconds:g}"}
        detail = limits.get(error.reason, str(error))
        raise PictureNotUsable(_REASONS.get(error.reason, "crashed"), detail) from error


def common_file(data: bytes, time: ReadingTime | None = None) -> bytes:
    """Return a picture's file, as PNG or JPEG if Qt would not show it upright. Waits; raises as `picture_size` does."""
    decoded = read_picture(data, time=time)
    file = decoded.file or data
    # So that it need not be decoded for its size.
    _measure(file, time, decoded)
    return file


class PictureFiles:
    """The picture files of one request by digest, and the time in which they have to be read. Thread-safe."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self._time = time_for(len(files))
        # By digest, as all below.
        self._measured: dict[str, _Measured] = {}
        self._decoding: dict[str, Future[DecodedPicture]] = {}

    def size(self, digest: str) -> tuple[int, int]:
        """Return width and height of a picture. Waits the first time; raises as `picture_size` does."""
        if digest not in self._measured:
            self._measured[digest] = _measure(self.files[digest], self._time)
        measured = self._measured[digest]
        return measured.width, measured.height

    def takes_long(self, digest: str) -> bool:
        """Return whether a picture whose size was asked for takes long to decode."""
        return self._measured[digest].seconds > LONG_S

    def decode(self, digest: str, sizes: Sequence[tuple[int, int]], resample: int) -> Future[DecodedPicture]:
        """Start `read_picture` on a thread of its own, unless that was done; the future may raise what it raises."""
        if digest not in self._decoding:
            future = Future[DecodedPicture]()
            self._decoding[digest] = future

            def read() -> None:
                try:
                    future.set_result(read_picture(self.files[digest], sizes, resample, self._time))
                except Exception as error:
                    without_frames(error)
                    future.set_exception(error)

            threading.Thread(target=read, name="prompt", daemon=True).start()
        return self._decoding[digest]

    def forget(self, digest: str) -> None:
        """Free the pixels of a picture that was decoded."""
        del self._decoding[digest]

    @property
    def pending(self) -> list[Future[DecodedPicture]]:
        """The pictures that are being decoded."""
        return [future for future in self._decoding.values() if not future.done()]

    def abandon(self) -> None:
        """End the reading of these pictures, because the request has ended."""
        self._time.abandoned.set()
