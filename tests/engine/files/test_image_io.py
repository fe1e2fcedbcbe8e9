"""HEIC pictures through ImageIO, of which a fake stands in for the frameworks of macOS."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

from engine.files import image_io

JPEG = ctypes.create_string_buffer(b"JPEG")


class FakeFrameworks:
    """Gives a number for each object that is created; a picture has 4 × 3 pixels. `failing` creates nothing."""

    def __init__(self, failing: str = "") -> None:
        self.alive: set[int] = set()
        self._failing, self._created = failing, 0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            objects = [one for one, kind in zip(arguments, called.argtypes, strict=True) if kind is ctypes.c_void_p]
            assert {one for one in objects if one is not None} <= self.alive
            if name == "CFRelease":
                self.alive.remove(arguments[0])
                return None
            if called.restype is ctypes.c_void_p and "Create" in name:
                if name == self._failing:
                    return None
                self._created += 1
                self.alive.add(self._created)
                return self._created
            return {
                "CGImageGetWidth": 4,
                "CGImageGetHeight": 3,
                "CGImageDestinationFinalize": name != self._failing,
                "CFDataGetLength": 4,
                "CFDataGetBytePtr": ctypes.addressof(JPEG),
            }.get(name)

        # The types that a caller declares.
        called.argtypes, called.restype = [], None  # type: ignore[attr-defined]
        setattr(self, name, called)
        return called


@pytest.mark.parametrize(
    ("failing", "most_pixels", "expected"),
    [
        ("", 12, b"JPEG"),
        ("", 11, None),
        ("CGImageSourceCreateWithData", 12, None),
        ("CGImageSourceCreateImageAtIndex", 12, None),
        ("CGImageDestinationCreateWithData", 12, None),
        ("CGImageDestinationFinalize", 12, None),
    ],
    ids=["whole", "too large", "no file", "no picture", "no encoder", "not written"],
)
def test_every_object_is_released(
    monkeypatch: pytest.MonkeyPatch, failing: str, most_pixels: int, expected: bytes | None
) -> None:
    frameworks = FakeFrameworks(failing)
    monkeypatch.setattr(image_io.ctypes, "CDLL", lambda _path: frameworks)
    assert image_io.jpeg_of(b"a HEIC file", most_pixels) == expected
    assert frameworks.alive == set()
