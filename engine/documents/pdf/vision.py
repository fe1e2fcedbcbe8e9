"""Recognizes letters by macOS's Vision framework, which every Mac has, with its languages.

pyobjc would add packages to every bundle for a few messages; see `engine.machine.process_info`.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from engine.documents.pdf.reading_order import PlacedLine, paragraphs_of
from engine.documents.pdf.recognized import Confidences, NotRecognized, Word, mean_confidence, sureness
from engine.machine.process_info import ID, ObjectiveC, libobjc

if TYPE_CHECKING:
    from PIL.Image import Image

_FRAMEWORK = "/System/Library/Frameworks/Vision.framework/Vision"
_REQUEST = b"VNRecognizeTextRequest"
# VNRequestTextRecognitionLevelAccurate; the fast level knows no language of East Asia.
_ACCURATE = 0
# The languages of the window. Vision takes the first ones for what it cannot tell, and languages of East Asia have
# Latin letters, too: with English first, lines of theirs are not found at all.
_LANGUAGES = ("ko-KR", "ja-JP", "zh-Hans", "en-US")
# Vision says 0.3, 0.5 or 1 of a line: noise has the first, and lines with an unusual word the second.
_CONFIDENCES = Confidences(least_mean=40, certain_mean=80, least_word=40)
_PERCENT = 100
# With a lower mean, or without any line, each language is tried alone: Vision may have taken it for another.
_DOUBTFUL_MEAN = 60


class Rectangle(ctypes.Structure):
    """CGRect: shares of the picture's sizes, from its left lower corner."""

    _fields_ = [(name, ctypes.c_double) for name in ("left", "bottom", "width", "height")]


class Vision(ObjectiveC):
    """Sends messages to Vision through `runtime`. Raises `NotRecognized` if the runtime has no such classes."""

    confidences = _CONFIDENCES
    works = True

    def __init__(self, runtime: Any) -> None:
        super().__init__(runtime)
        if not self.class_named(_REQUEST):
            raise NotRecognized

    def words(self, picture: Image) -> list[Word]:
        """Return each line of a grey picture as a word, in the order of reading. Waits, without Python's lock.

        Vision tells the language by itself. Where it is not sure, the languages are also tried one by one, and what
        finds most letters counts. Raises `NotRecognized` if it fails.
        """
        file = BytesIO()
        # Its size does not matter.
        picture.save(file, "PNG", compress_level=1)
        words = self._words(file.getvalue(), picture, _LANGUAGES)
        if mean_confidence(words) >= _DOUBTFUL_MEAN:
            return words
        tries = [self._words(file.getvalue(), picture, (language,)) for language in _LANGUAGES]
        return max([words, *tries], key=_sureness_without_noise)

    def line_of(self, words: Iterable[str]) -> str:
        """Return the line that words make, which are the cells of a table, or apart for another reason."""
        return "\t".join(words)

    def _words(self, file: bytes, picture: Image, languages: tuple[str, ...]) -> list[Word]:
        """Return the lines of a picture's file, each as a word."""
        with self.pool():
            placed = self._lines(file, picture, languages)
        return [
            Word(number, (number, row_number), line.confidence, line.words)
            for number, paragraph in enumerate(paragraphs_of(placed))
            for row_number, row in enumerate(paragraph)
            for line in row
        ]

    def _lines(self, file: bytes, picture: Image, languages: tuple[str, ...]) -> list[PlacedLine]:
        """Return the lines in a picture's file, in pixels, in an order of Vision's own. Within a pool."""
        content = ((ctypes.c_char_p, file), (ctypes.c_ulong, len(file)))
        data = self.send(self.class_named(b"NSData"), b"dataWithBytes:length:", ID, *content)
        options = self.send(self.class_named(b"NSDictionary"), b"dictionary", ID)
        empty = self.send(self.class_named(b"VNImageRequestHandler"), b"alloc", ID)
        handler = self.send(empty, b"initWithData:options:", ID, (ID, data), (ID, options))
        self.send(handler, b"autorelease", ID)
        request = self._request(languages)
        requests = self._array([request])
        # Why it failed is not always said.
        no_error = (ID, None)
        if not self.send(handler, b"performRequests:error:", ctypes.c_bool, (ID, requests), no_error):
            raise NotRecognized
        lines = (self._line(observation, picture) for observation in self._items(self.send(request, b"results", ID)))
        return [line for line in lines if line is not None]

    def _request(self, languages: tuple[str, ...]) -> Any:
        """Return a request for the text in some languages."""
        kind = self.class_named(_REQUEST)
        request = self.send(self.send(kind, b"new", ID), b"autorelease", ID)
        # Otherwise the system for which Python was built decides the revision, which may know no Korean.
        revision = self.send(kind, b"currentRevision", ctypes.c_ulong)
        self.send(request, b"setRevision:", None, (ctypes.c_ulong, revision))
        self.send(request, b"setRecognitionLevel:", None, (ctypes.c_long, _ACCURATE))
        self.send(request, b"setUsesLanguageCorrection:", None, (ctypes.c_bool, True))
        names = self._array([self.string(language) for language in languages])
        self.send(request, b"setRecognitionLanguages:", None, (ID, names))
        self.send(request, b"setAutomaticallyDetectsLanguage:", None, (ctypes.c_bool, len(languages) > 1))
        return request

    def _line(self, observation: int, picture: Image) -> PlacedLine | None:
        """Return a line of the results with its likeliest text; None if there is none."""
        candidates = self._items(self.send(observation, b"topCandidates:", ID, (ctypes.c_ulong, 1)))
        if not candidates:
            return None
        words = self._text(self.send(candidates[0], b"string", ID))
        confidence = self._text(self.send(self._value(candidates[0], "confidence"), b"stringValue", ID))
        box = Rectangle()
        place = ((ctypes.c_void_p, ctypes.addressof(box)), (ctypes.c_ulong, ctypes.sizeof(box)))
        self.send(self._value(observation, "boundingBox"), b"getValue:size:", None, *place)
        return PlacedLine(
            words,
            _PERCENT * float(confidence),
            box.left * picture.width,
            (1 - box.bottom - box.height) * picture.height,
            box.width * picture.width,
            box.height * picture.height,
        )

    def _value(self, receiver: int, name: str) -> Any:
        """Return a property as an object: where numbers and structures are returned depends on the processor."""
        return self.send(receiver, b"valueForKey:", ID, (ID, self.string(name)))

    def _text(self, string: int) -> str:
        return bytes(self.send(string, b"UTF8String", ctypes.c_char_p)).decode()

    def _array(self, items: Iterable[int]) -> Any:
        array = self.send(self.class_named(b"NSMutableArray"), b"array", ID)
        for item in items:
            self.send(array, b"addObject:", None, (ID, item))
        return array

    def _items(self, array: int | None) -> list[int]:
        """Return what is in an array; nothing of None."""
        count = int(self.send(array, b"count", ctypes.c_ulong))
        return [self.send(array, b"objectAtIndex:", ID, (ctypes.c_ulong, index)) for index in range(count)]


def _sureness_without_noise(words: Sequence[Word]) -> float:
    """Return how many letters there are, each as often as Vision is sure of it, of the lines that are no noise."""
    return sureness([word for word in words if word.confidence >= _CONFIDENCES.least_word])


def vision() -> Vision | None:
    """Return what sends messages to Vision, or None where there is none."""
    if sys.platform != "darwin":
        return None
    try:
        ctypes.CDLL(_FRAMEWORK)
        return Vision(libobjc())
    except (OSError, NotRecognized):
        return None
