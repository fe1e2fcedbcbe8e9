"""What the result of a call gives to the model: text and pictures that were checked."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from app.tools.results import LONGEST_RESULT, result_of
from engine.files.reading_time import ReadingTime
from engine.pictures.reading import read_picture
from tests.app.picture_files import animation, picture
from tests.slow_files import slow_jpeg


def image(content: bytes) -> dict[str, str]:
    return {"type": "image", "data": base64.b64encode(content).decode(), "mimeType": "image/png"}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def read(content: Any, structured: Any = None) -> list[str]:
    """Return the lines that a model gets of a result, as a server sends it."""
    sent = {"content": content, "structuredContent": structured}
    return result_of(sent, 0.5, ReadingTime()).text.splitlines()


ROWS = {"items": [{"id": 1, "name": "Älpha"}, {"id": 2, "name": "Beta"}], "more": None}
SAME = json.dumps(dict(reversed(ROWS.items())), indent=2)


@pytest.mark.parametrize(
    ("content", "structured"),
    [
        ([text(SAME)], ROWS),
        ([text("Two rows."), text(SAME)], ROWS),
        ([text(f"[2] rows {{as asked}}:\n```json\n{SAME}\n```\nThat is all [of 2].")], ROWS),
        ([{"type": "resource", "resource": {"uri": "a:b", "text": SAME}}], ROWS),
        # As SDKs put what is no object into one.
        ([text("hello")], {"result": "hello"}),
        ([text("21")], {"result": 21}),
        ([text("a"), text('{"b": 1}')], {"result": ["a", {"b": 1}]}),
        ([text(SAME)], {"results": ROWS}),
        ([{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}],) * 2,
    ],
)
def test_a_structured_result_is_there_once_if_the_text_says_the_same(content: Any, structured: Any) -> None:
    assert read(content, structured) == read(content)


@pytest.mark.parametrize(
    ("content", "structured"),
    [
        ([text("Found 2 rows.")], ROWS),
        ([text(SAME.replace("Beta", "Gamma"))], ROWS),
        ([text(SAME[:-2])], ROWS),
        ([text("[" * 10_000)], ROWS),
        ([text("Alpha")], {"name": "Alpha"}),
        ([text("None.")], {"result": []}),
        ([text("a"), text("b")], {"result": ["b", "a"]}),
        ([], {}),
        (None, ROWS),
        ("Found 2 rows.", [1, 2]),
    ],
)
def test_a_structured_result_that_says_more_follows_the_text(content: Any, structured: Any) -> None:
    *before, last = read(content, structured)
    assert before == read(content)
    assert json.loads(last) == structured
    assert "\\u" not in last


def test_a_structured_result_is_bounded_with_the_text() -> None:
    *_, structured, bound = read([text("Found.")], {"rows": "x" * LONGEST_RESULT})
    assert len(structured) < LONGEST_RESULT
    assert bound.startswith(f"[These are the first {LONGEST_RESULT} of ")


def test_files_and_links_reach_the_model_as_text_or_pictures() -> None:
    red, sound = (base64.b64encode(content).decode() for content in (picture(), b"sound"))
    link = {"type": "resource_link", "uri": "file:///n", "name": "notes"}
    files = [
        {"uri": "file:///t", "text": "the text of a file", "blob": None},
        {"text": "of nowhere"},
        {"uri": "file:///r", "blob": red, "mimeType": "image/png"},
        {"uri": "file:///r", "blob": red},
        {"uri": "file:///z", "blob": sound, "mimeType": "application/zip"},
        {"uri": "file:///s", "blob": base64.b64encode("<svg>é</svg>".encode()).decode(), "mimeType": "image/svg+xml"},
    ]
    content = [
        *({"type": "resource", "resource": file} for file in files),
        link,
        {**link, "mimeType": "text/plain", "size": 9, "description": "What was said", "annotations": {"priority": 7}},
        {"type": "audio", "data": sound, "mimeType": "audio/wav"},
        {"type": "image", "data": f"data:image/png;base64,{red}"},
        {"type": "hologram", "url": "a:b"},
        "plain",
    ]
    assert read(content) == [
        "[A file: file:///t]", "the text of a file", "[A file: ]", "of nowhere", "[A picture of 560 x 280 pixels]",
        "[A picture of 560 x 280 pixels]", "[Not shown: a file, file:///z, application/zip, 5 bytes]",
        "[As text: a file, file:///s, image/svg+xml]", "<svg>é</svg>", "[A link: notes, file:///n]",
        "[A link: notes, file:///n, text/plain, 9, What was said]", "[Not shown: audio, audio/wav, 5 bytes]",
        "[A picture of 560 x 280 pixels]", '[A part of an unknown kind: {"type": "hologram", "url": "a:b"}]', "plain",
    ]  # fmt: skip


def test_a_text_for_the_person_alone_is_kept_from_the_model() -> None:
    alone = {"audience": ["user"]}
    content = [
        text("Two rows."),
        text("All rows …") | {"annotations": alone},
        {"type": "resource", "resource": {"uri": "a:b", "text": "A log", "annotations": alone}},
        {"type": "resource", "resource": {"uri": "a:c", "text": "Another"}, "annotations": alone},
        text("Both.") | {"annotations": {"audience": ["user", "assistant"]}},
    ]
    result = result_of({"content": content, "structuredContent": {"rows": 2}}, 0.5, ReadingTime())
    assert result.text.splitlines() == [
        "Two rows.", "[Shown to the user only: 10 characters]", "[Shown to the user only: 19 characters]",
        "[Shown to the user only: 21 characters]", "Both.", '{"rows": 2}',
    ]  # fmt: skip
    assert result.for_person.splitlines() == ["All rows …", "[A file: a:b]", "A log", "[A file: a:c]", "Another"]
    alike = result_of({"content": content[1:2], "structuredContent": "All rows …"}, 0.5, ReadingTime())
    assert alike.text.endswith('"All rows …"')
    failed = result_of({"content": content[1:2], "isError": True}, 0.5, ReadingTime())
    assert (failed.text, failed.for_person) == ("All rows …", "")


def test_usable_pictures_are_beside_the_text_and_others_are_named() -> None:
    red = picture()
    result = result_of({"content": [text("Look:"), image(red), image(animation())]}, 0.5, ReadingTime())
    assert result.text.splitlines()[:2] == ["Look:", "[A picture of 560 x 280 pixels]"]
    assert result.text.splitlines()[2].startswith("[Not shown: image, image/png, ")
    assert [(one.content, one.kind, one.width, one.height) for one in result.pictures] == [(red, "png", 560, 280)]


def test_the_pictures_of_a_result_share_a_limit_of_time() -> None:
    files = [slow_jpeg(1000, 200, shade) for shade in range(8)]
    time = ReadingTime(3 * read_picture(files[0]).seconds)
    result = result_of({"content": [image(file) for file in files]}, 0.5, time)
    assert 1 <= len(result.pictures) < 8
    assert result.text.splitlines()[-1].startswith("[Not shown: image, image/png, ")
