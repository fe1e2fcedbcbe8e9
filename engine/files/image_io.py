"""Pictures that only macOS decodes, such as HEIC, through the C interface of ImageIO."""

from __future__ import annotations

import ctypes
from typing import Any

_FRAMEWORKS = "/System/Library/Frameworks/{0}.framework/{0}"
_UTF_8 = 0x08000100
_REF, _COUNT = ctypes.c_void_p, ctypes.c_long


def jpeg_of(data: bytes, most_pixels: int) -> bytes | None:
    """Return the first picture of a file as JPEG, with its orientation.

    None if macOS does not decode it, or it has more than `most_pixels`. Its objects are not released: the process with
    limits that calls this ends soon.
    """
    core, images, graphics = (
        ctypes.CDLL(_FRAMEWORKS.format(one)) for one in ("CoreFoundation", "ImageIO", "CoreGraphics")
    )

    def call(library: Any, name: str, result: Any, *arguments: tuple[Any, Any]) -> Any:
        function = getattr(library, name)
        function.restype, function.argtypes = result, [kind for kind, _ in arguments]
        return function(*(value for _, value in arguments))

    content = call(core, "CFDataCreate", _REF, (_REF, None), (ctypes.c_char_p, data), (_COUNT, len(data)))
    source = call(images, "CGImageSourceCreateWithData", _REF, (_REF, content), (_REF, None))
    picture = source and call(
        images, "CGImageSourceCreateImageAtIndex", _REF, (_REF, source), (ctypes.c_size_t, 0), (_REF, None)
    )
    if not picture:
        return None
    # Nothing is decoded yet.
    width, height = (
        call(graphics, f"CGImageGet{side}", ctypes.c_size_t, (_REF, picture)) for side in ("Width", "Height")
    )
    if width * height > most_pixels:
        return None
    kind = call(
        core,
        "CFStringCreateWithCString",
        _REF,
        (_REF, None),
        (ctypes.c_char_p, b"public.jpeg"),
        (ctypes.c_uint32, _UTF_8),
    )
    written = call(core, "CFDataCreateMutable", _REF, (_REF, None), (_COUNT, 0))
    target = call(
        images,
        "CGImageDestinationCreateWithData",
        _REF,
        (_REF, written),
        (_REF, kind),
        (ctypes.c_size_t, 1),
        (_REF, None),
    )
    call(
        images,
        "CGImageDestinationAddImageFromSource",
        None,
        (_REF, target),
        (_REF, source),
        (ctypes.c_size_t, 0),
        (_REF, None),
    )
    if not call(images, "CGImageDestinationFinalize", ctypes.c_bool, (_REF, target)):
        return None
    length = call(core, "CFDataGetLength", _COUNT, (_REF, written))
    return ctypes.string_at(call(core, "CFDataGetBytePtr", _REF, (_REF, written)), length)
