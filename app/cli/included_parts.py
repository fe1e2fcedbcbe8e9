"""Tries each part that a build could have left out because nothing imports it by name or it is a file."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from zipfile import ZipFile

from PySide6.QtCore import QCollator, QCoreApplication, QLocale

from app.api.engine_host import EngineHost
from app.api.guard import ApiSettings
from app.api.local_api import LocalApi
from app.session.attachments import read_attachment
from app.settings.keychain import Keychain
from app.settings.updates import feed_source
from app.system.language import LANGUAGES, Language
from app.system.paths import resource
from app.text.formulas import Formula
from app.tools.host import ToolHost
from app.tools.servers import Server
from app.transcript.formula_pictures import outline_of
from app.transcript.preview import picture_of
from engine import BLAS, starter_pair
from engine.client import EngineClient
from engine.events import Finished
from engine.grammars.grammar import Grammar
from engine.pictures.picture_file import FORMATS
from engine.pictures.reading import picture_size
from engine.requests import ChatRequest, SamplingSettings
from engine.tokenizers.prompt_process import PromptProcess
from engine.tokenizers.prompts import PromptJob
from engine.tokenizers.tasks import TokenizerSource

_PROMPT_LIMIT_S = 60
_SERVER_LIMIT_S = 60
_RUNNER_LIMIT_S = 60
_PDF_TEXT = "Tandem reads this page."


def try_parts(folder: Path, language: Language, engine: EngineClient) -> dict[str, str]:
    """Return the problem of each part by name, "" for none. `folder` is for temporary files.

    `engine` must have loaded a model, because MLX belongs to the thread that imports it first. Afterwards it has the
    starter pair loaded.
    """
    parts: dict[str, Callable[[], object]] = {
        "gpu": _find_gpu,
        "openblas": _find_openblas,
        "architectures": _find_architectures,
        "prompt-process": _make_prompt,
        "draft-runner": _draft_ahead,
        "pdf": lambda: _read_pdf(folder),
        "pdfium": _open_by_pdfium,
        "documents": lambda: _read_book(folder),
        "formulas": _typeset,
        "keychain": _find_keychain,
        "languages": lambda: _translate(language),
        "sorting": _sort_names,
        "updates": feed_source,
        "server": lambda: _serve(engine),
        "grammars": lambda: _follow_grammar(engine),
        "tools": _start_tools,
        "pictures": _see,
        "previews": _draw,
    }
    return {name: _problem_of(try_part) for name, try_part in parts.items()}


def device() -> str:
    """Return MLX's default device, such as "Device(gpu, 0)"."""
    import mlx.core as mx

    return str(mx.default_device())


def _problem_of(try_part: Callable[[], object]) -> str:
    try:
        try_part()
    # A missing part can raise anything.
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _find_gpu() -> None:
    """Check that a Mac computes on its GPU, unless TANDEM_DEVICE says that this one's is not to be used."""
    if sys.platform == "darwin" and "gpu" not in device() and os.environ.get("TANDEM_DEVICE") != "cpu":
        raise ValueError(f"MLX computes on {device()}")


def _find_openblas() -> None:
    """Check that on Linux MLX multiplies with OpenBLAS, which comes with Tandem."""
    if sys.platform == "linux" and not BLAS.startswith("OpenBLAS"):
        raise ValueError(BLAS)


def _find_architectures() -> None:
    """Check that every module of mlx-lm that the app claims to load can be imported."""
    listed = json.loads(resource("loadable.json").read_bytes())
    for kind in ("models", "chat_templates", "tool_parsers"):
        missing = [name for name in listed[kind] if importlib.util.find_spec(f"mlx_lm.{kind}.{name}") is None]
        if missing:
            raise ImportError(f"mlx_lm.{kind} lacks {missing}")


def _make_prompt() -> None:
    """Render a prompt in the prompt process, which the starter pair itself never needs."""
    process = PromptProcess()
    try:
        job = PromptJob([{"role": "user", "content": "What is Tandem?"}], limit=1000)
        prompt = process.start_prompt(TokenizerSource(str(starter_pair()[0])), job).result(_PROMPT_LIMIT_S)
    finally:
        process.end()
    if not prompt.ids:
        raise ValueError("an empty prompt")


def _draft_ahead() -> None:
    """Draft once with a draft runner of this computer, and once with one that is reached like another computer."""
    from engine.ahead.link import in_a_process
    from engine.ahead.messages import Begin, DraftReply, Ready, RoundOutcome
    from engine.ahead.other_computer import on_computer

    draft = starter_pair()[1]
    for start in (in_a_process, partial(on_computer, "127.0.0.1")):
        connection = start(draft)
        try:
            first = connection.channel.receive(_RUNNER_LIMIT_S)
            connection.channel.send(Begin(1, 1, 1000, SamplingSettings()))
            connection.channel.send(RoundOutcome(1, 1, 0, (1, 2, 3), 2))
            reply = connection.channel.receive(_RUNNER_LIMIT_S)
        finally:
            connection.channel.close()
            connection.end()
        if not isinstance(first, Ready) or not isinstance(reply, DraftReply):
            raise ValueError(f"a draft runner sends {first} and {reply}")


def _see() -> None:
    """Decode a picture of each format in the picture process, and import the towers that need most."""
    from PIL import Image

    for kind in FORMATS:
        file = io.BytesIO()
        Image.new("RGB", (3, 2)).save(file, kind)
        if picture_size(file.getvalue()) != (3, 2):
            raise ValueError(f"a picture of {kind} has another size")
    for family in ("gemma4", "lfm2_vl"):
        importlib.import_module(f"mlx_vlm.models.{family}")


def _read_pdf(folder: Path) -> None:
    file = folder / "page.pdf"
    file.write_bytes(_pdf(_PDF_TEXT))
    if _PDF_TEXT not in (text := read_attachment(file).text):
        raise ValueError(f"the page says {text!r}")


def _open_by_pdfium() -> None:
    """Read a page with PDFium's own library, and draw it."""
    from pypdfium2 import PdfDocument

    with PdfDocument(_pdf(_PDF_TEXT)) as document:
        page = document[0]
        text = page.get_textpage().get_text_range()
        drawn = page.render().to_pil()
    if text != _PDF_TEXT or len(drawn.getcolors()) < 2:
        raise ValueError(f"PDFium reads {text!r}, and draws {drawn.getcolors()}")


def _read_book(folder: Path) -> None:
    """Read a file that is an archive of XML and HTML, as all other documents are one or more of these."""
    file = folder / "book.epub"
    with ZipFile(file, "w") as book:
        book.writestr("META-INF/container.xml", '<container><rootfile full-path="book.opf"/></container>')
        book.writestr("book.opf", '<package><item id="a" href="a.html"/><itemref idref="a"/></package>')
        book.writestr("a.html", "<h1>Tandem reads this book.</h1>")
    if (text := read_attachment(file).text) != "# Tandem reads this book.":
        raise ValueError(f"the book says {text!r}")


def _draw() -> None:
    """Draw a preview, in the sandbox that needs Qt's plugin without a screen."""
    if picture_of('<svg width="9" height="9"><rect width="9" height="9"/></svg>').isNull():
        raise ValueError("no preview")


def _typeset() -> None:
    if outline_of(Formula(r"\frac{\sqrt{x}}{2}", "", display=False), 16) is None:
        raise ValueError("the formula cannot be typeset")


def _find_keychain() -> None:
    """Check that the keychain in use keeps something. A Linux machine without a desktop may have none."""
    import keyring
    from keyring.backends import fail, null

    Keychain().read("https://self-test.invalid")
    used = keyring.get_keyring()
    if sys.platform == "linux" and entry_points(group="keyring.backends") and isinstance(used, fail.Keyring):
        # A desktop's would be found, and needs this.
        importlib.import_module("secretstorage")
    elif isinstance(used, fail.Keyring | null.Keyring):
        raise ValueError(f"{type(used).__module__} keeps nothing")


def _translate(language: Language) -> None:
    chosen = language.choice
    shown = set()
    for code in LANGUAGES:
        language.choose(code)
        shown.add(QCoreApplication.translate("Actions", "Settings…"))
    language.choose(chosen)
    if len(shown) != len(LANGUAGES):
        raise ValueError(f"only {sorted(shown)}")


def _sort_names() -> None:
    """Check that names are sorted by the rules of each language; by code points, the accented letter would be last."""
    for code in LANGUAGES:
        if not QCollator(QLocale(code)).compare("Äpfel", "zebra") < 0:
            raise ValueError(f"{code} sorts by code points")


def _serve(engine: EngineClient) -> None:
    """Get an answer over the local API."""
    import httpx2

    host = EngineHost(engine)
    host.load(*map(str, starter_pair())).result(_SERVER_LIMIT_S)
    api = LocalApi(host)
    api.start(ApiSettings(port=0))
    try:
        with httpx2.Client(base_url=api.status.address, timeout=_SERVER_LIMIT_S, trust_env=False) as client:
            question = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 8}
            answer = client.post("/v1/chat/completions", json=question).raise_for_status().json()
    finally:
        api.stop()
    if not answer["choices"][0]["message"]["content"]:
        raise ValueError(f"the server says {answer}")


def _follow_grammar(engine: EngineClient) -> None:
    """Get an answer that no model would write without the grammar."""
    grammar = Grammar("regex", "[0-9]{3}")
    *_, last = engine.submit(ChatRequest([{"role": "user", "content": "Hello"}], max_tokens=16, grammar=grammar))
    if not (isinstance(last, Finished) and re.fullmatch(r"[0-9]{3}", last.text)):
        raise ValueError(f"the answer is {last}")


def _start_tools() -> None:
    """Start a program that is no server of tools; its guardian and the client have to find that out."""
    host = ToolHost([Server(name="none", command="true").as_approved()], lambda: None)
    try:
        host.tools(["none"]).result(_SERVER_LIMIT_S)
        error = host.status("none").error
    finally:
        host.close()
    if error is None or error.code != "ended":
        raise ValueError(f"a program that ends at once gives {error}")


def _pdf(text: str) -> bytes:
    """Return a file with one page that says `text` in a standard font; readers make its table of objects themselves."""
    drawn = f"BT /F1 12 Tf 40 100 Td ({text}) Tj ET".encode()
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 150]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    content = b"".join(b"%d 0 obj\n%s\nendobj\n" % numbered for numbered in enumerate(objects, 1))
    return b"%PDF-1.4\n" + content + b"trailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n"
