"""Pictures that only macOS decodes, such as HEIC, through the C interface of ImageIO."""

from __future__ import annotations

import ctypes
from contextlib import ExitStack
from typing import Any

_FRAMEWORKS = "/System/Library/Frameworks/{0}.framework/{0}"
_UTF_8 = 0x08000100
# The types of Core Foundation: a reference to an object (CFTypeRef), and a number of bytes (CFIndex).
_REF = ctypes.c_void_p
_COUNT = ctypes.c_long


def jpeg_of(data: bytes, most_pixels: int) -> bytes | None:
    """Return the first picture of a file as JPEG, with its orientation.

    None if macOS does not decode it, or it has more than `most_pixels`.
    """
    core, images, graphics = (
        ctypes.CDLL(_FRAMEWORKS.format(framework)) for framework in ("CoreFoundation", "ImageIO", "CoreGraphics")
    )

    def call(library: Any, name: str, result: Any, *arguments: tuple[Any, Any]) -> Any:
        function = getattr(library, name)
        function.restype = result
        function.argtypes = [kind for kind, _ in arguments]
        return function(*(value for _, value in arguments))

    with ExitStack() as owned:

        def create(library: Any, name: str, *arguments: tuple[Any, Any]) -> tuple[Any, Any] | None:
            """Return a new object, which is released at the end, as an argument; None for none."""
            if (made := call(library, name, _REF, *arguments)) is None:
                return None
            owned.callback(call, core, "CFRelease", None, (_REF, made))
            return _REF, made

        none = (_REF, None)
        first = (ctypes.c_size_t, 0)
        content = create(core, "CFDataCreate", none, (ctypes.c_char_p, data), (_COUNT, len(data)))
        source = content and create(images, "CGImageSourceCreateWithData", content, none)
        picture = source and create(images, "CGImageSourceCreateImageAtIndex", source, first, none)
        if source is None or picture is None:
            return None
        # Nothing is decoded yet.
        width, height = (call(graphics, f"CGImageGet{side}", ctypes.c_size_t, picture) for side in ("Width", "Height"))
        if width * height > most_pixels:
            return None
        name = (ctypes.c_char_p, b"public.jpeg"), (ctypes.c_uint32, _UTF_8)
        kind = create(core, "CFStringCreateWithCString", none, *name)
        written = create(core, "CFDataCreateMutable", none, (_COUNT, 0))
        if kind is None or written is None:
            return None
        count_of_one = (ctypes.c_size_t, 1)
        target = create(images, "CGImageDestinationCreateWithData", written, kind, count_of_one, none)
        if target is None:
            return None
        call(images, "CGImageDestinationAddImageFromSource", None, target, source, first, none)
        if not call(images, "CGImageDestinationFinalize", ctypes.c_bool, target):
            return None
        length = call(core, "CFDataGetLength", _COUNT, written)
        return ctypes.string_at(call(core, "CFDataGetBytePtr", _REF, written), length)
