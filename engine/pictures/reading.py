"""Reads picture files in the picture process, which has limits of time and memory and no network."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from importlib.util import find_spec

from engine.errors import PictureNotUsable, PicturesNotInstalled, TemplateFailed
from engine.files.picture_file import MOST_MEGABYTES, DecodedPicture
from engine.tokenizers.prompt_process.client import PICTURE_PROCESS

# Seconds of computing for a file. The largest that are allowed take a fifth.
DECODE_S = 10
_REASONS = {"too-slow": "too-slow", "too-large": "too-much-memory"}
# The sizes of this many pictures are kept, so that a chat's next turn decodes none of them.
_MOST_KNOWN = 4096
_known: OrderedDict[str, tuple[int, int]] = OrderedDict()


def check_installed() -> None:
    """Raise `PicturesNotInstalled` unless there are towers."""
    if not find_spec("mlx_vlm"):
        raise PicturesNotInstalled


def digest_of(data: bytes) -> str:
    """Return the digest by which requests name a picture's file."""
    return hashlib.sha256(data).hexdigest()


def picture_size(data: bytes) -> tuple[int, int]:
    """Return width and height of a picture after EXIF orientation, having decoded all of it. Waits; thread-safe.

    Raises `PictureNotUsable` and `PicturesNotInstalled`.
    """
    digest = digest_of(data)
    if (size := _known.get(digest)) is None:
        decoded = read_picture(data)
        size = _known[digest] = decoded.width, decoded.height
        if len(_known) > _MOST_KNOWN:
            _known.popitem(last=False)
    return size


def read_picture(data: bytes, sizes: Sequence[tuple[int, int]] = (), resample: int = 0) -> DecodedPicture:
    """Decode a picture's file, and scale it to each of `sizes`. Waits; raises as `picture_size` does."""
    check_installed()
    if len(data) > MOST_MEGABYTES * 2**20:
        raise PictureNotUsable("too-large", str(MOST_MEGABYTES))
    try:
        decoded = PICTURE_PROCESS.decode_picture(data, list(sizes), resample, DECODE_S)
    except TemplateFailed as error:
        detail = str(DECODE_S) if error.reason == "too-slow" else str(error.arguments["detail"])
        raise PictureNotUsable(_REASONS.get(error.reason, "crashed"), detail) from error
    if decoded.problem:
        raise PictureNotUsable(decoded.problem, decoded.detail)
    return decoded
