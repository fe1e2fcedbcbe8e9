"""An Objective-C runtime with Vision, which finds lines by the languages that a request names."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from io import BytesIO
from typing import Any, NamedTuple

from PIL import Image

from engine.documents.pdf.vision import Rectangle
from tests.engine.machine.objective_c import Runtime

ALL = ("ko-KR", "ja-JP", "zh-Hans", "en-US")
# As Vision's headers number them: what the system has, and the accurate level.
REVISION, ACCURATE = 3, 0


class Found(NamedTuple):
    """A line that is found, and its box in shares of the picture, from the left lower corner."""

    words: str
    confidence: float
    box: tuple[float, float, float, float]

    def property(self, key: str) -> object:
        """Return what the object of Vision has by a name of Vision's."""
        return {"confidence": self.confidence, "boundingBox": self.box}[key]


class VisionRuntime(Runtime):
    """What `ctypes.CDLL` would be of libobjc. Its objects are numbers of Python's."""

    def __init__(self, found: dict[tuple[str, ...], list[Found]], *, has_vision: bool = True) -> None:
        super().__init__()
        self.found, self.works, self.has_vision = found, True, has_vision
        # The sizes of the pictures, and the languages of the requests that were performed.
        self.pictures: list[tuple[int, int]] = []
        self.performed: list[tuple[str, ...]] = []
        self._objects: list[Any] = []

    def _number(self, name: bytes) -> int:
        return super()._number(name) if self.has_vision or not name.startswith(b"VN") else 0

    def answers(self, receiver: int, first: int, second: int) -> dict[bytes, Callable[[], Any]]:
        it = self._objects[receiver - 1000] if receiver >= 1000 else None
        return super().answers(receiver, first, second) | {
            b"dataWithBytes:length:": lambda: self._new(ctypes.string_at(first, second)),
            b"dictionary": lambda: self._new({}),
            b"alloc": lambda: self._new([]),
            b"initWithData:options:": lambda: self._look_at(self._of(first)) or receiver,
            b"autorelease": lambda: receiver,
            b"new": lambda: self._new({}),
            b"currentRevision": lambda: REVISION,
            b"setRevision:": lambda: it.update(revision=first) or 0,
            b"setRecognitionLevel:": lambda: it.update(level=first) or 0,
            b"setUsesLanguageCorrection:": lambda: it.update(corrects=first & 1) or 0,
            b"setAutomaticallyDetectsLanguage:": lambda: it.update(detects=first & 1) or 0,
            b"setRecognitionLanguages:": lambda: it.update(languages=self._languages(first)) or 0,
            b"array": lambda: self._new([]),
            b"addObject:": lambda: it.append(first) or 0,
            b"count": lambda: len(it) if it else 0,
            b"objectAtIndex:": lambda: it[first],
            b"performRequests:error:": lambda: self._perform(first),
            b"results": lambda: self._new([self._new(line) for line in self.found.get(it["languages"], [])]),
            b"topCandidates:": lambda: self._new([receiver] * bool(it.words)),
            b"string": lambda: self._new(it.words),
            b"valueForKey:": lambda: self._new(it.property(self._key(first))),
            b"stringValue": lambda: self._new(f"{it:g}"),
            b"UTF8String": lambda: self._characters(it),
            b"getValue:size:": lambda: self._copy(it, first, second),
        }

    def _new(self, value: object) -> int:
        # What is made goes with the pool.
        assert self.pools == 1
        self._objects.append(value)
        return 999 + len(self._objects)

    def _of(self, number: int) -> Any:
        return self._objects[number - 1000]

    def _key(self, string: int) -> str:
        return self._strings[string].decode()

    def _languages(self, array: int) -> tuple[str, ...]:
        return tuple(self._key(string) for string in self._of(array))

    def _look_at(self, file: bytes) -> None:
        with Image.open(BytesIO(file)) as picture:
            self.pictures.append(picture.size)

    def _perform(self, requests: int) -> bool:
        (request,) = map(self._of, self._of(requests))
        languages = request["languages"]
        settings = {"revision": REVISION, "level": ACCURATE, "corrects": 1, "detects": int(len(languages) > 1)}
        assert request == settings | {"languages": languages}
        self.performed.append(languages)
        return self.works

    def _characters(self, text: str) -> int:
        buffer = ctypes.create_string_buffer(text.encode())
        self._objects.append(buffer)
        return ctypes.addressof(buffer)

    def _copy(self, box: tuple[float, float, float, float], to: int, size: int) -> int:
        assert size == ctypes.sizeof(Rectangle)
        ctypes.memmove(to, ctypes.byref(Rectangle(*box)), size)
        return 0
