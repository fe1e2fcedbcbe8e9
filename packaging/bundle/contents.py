"""Selects the contents of the bundle, without parts of libraries that Tandem never uses."""

from __future__ import annotations

import ast
import json
import os.path
import re
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement

# (path in the bundle, path on this machine, kind), as PyInstaller writes it.
Entry = tuple[str, str, str]

# The packages that are installed in addition to Tandem and its requirements, without their own requirements.
BESIDE = ("mlx-vlm",)

# mlx-vlm's networks among the families of engine/model_files/encoder_kinds.py.
ENCODERS = ("bert", "modernbert", "xlm_roberta")

# Libraries import these, but not for what Tandem uses.
UNUSED_MODULES = [
    "torch",
    "tensorflow",
    "jax",
    "tkinter",
    "IPython",
    "pytest",
    "setuptools",
    "pip",
    "hf_xet",
    "yaml._yaml",
    "numpy.f2py",
    "numpy.fft",
    "numpy.random",
    "numpy.testing",
    "typer",
    "unittest",
    "mlx_lm.server",
    "mlx_lm.evaluate",
    # What mlx-vlm asks for in addition to its towers.
    "cv2",
    "datasets",
    "dill",
    "fastapi",
    "miniaudio",
    "mlx_audio",
    "multiprocess",
    "pandas",
    "pyarrow",
    "scipy",
    "sounddevice",
    "websockets",
    "xxhash",
    # Tools that build the bundle, which libraries would use if they found them.
    "cyclonedx",
    "macholib",
    "PySide6.QtNetwork",
    "PySide6.QtQml",
    "PySide6.QtQuick",
    "PySide6.QtOpenGL",
    "PySide6.QtSql",
    "PySide6.QtTest",
]

# Only the tokenizers of transformers are used, not its models and trainers. mlx-vlm imports the base of its processors,
# and one of them.
_OF_TOKENIZERS = re.compile(
    r"""transformers\.models(\.\w+)?(\.(tokenization|configuration)_\w+)?|transformers\.models\.auto\.\w+
        |transformers\.models\.lfm2_vl\.processing_lfm2_vl""",
    re.VERBOSE,
)
_NOT_OF_TOKENIZERS = re.compile(
    r"""transformers\.(
        (pipelines|quantizers|distributed|loss|cli|data|testing_utils|optimization)\b
        | trainer
        | modeling_(?!rope_utils)
        | generation\.(?!configuration_utils)
        | integrations\.(?!heterogeneity|mistral)
    )""",
    re.VERBOSE,
)

_UNUSED_FILES = re.compile(
    r"""
    PySide6/Qt/(qml|libexec|metatypes)/
    | PySide6/Qt/translations/(?!qtbase_(ko|ja|zh_CN)\.qm)
    # Printers of a Linux desktop would add all of CUPS; printing to a file needs none.
    | PySide6/Qt/plugins/(qmltooling|designer|help|sqldrivers|printsupport|networkinformation|tls|generic)/
    | PySide6/Qt/plugins/egldeviceintegrations/
    # Desktops on Wayland run X programs as well.
    | PySide6/Qt/plugins/wayland
    | PySide6/Qt/plugins/platforms/libqwayland
    | (^|/)libQt6W(ayland|lShell)
    | PySide6/Qt/plugins/platforms/libq(eglfs|linuxfb|vnc|vkkhrdisplay|minimalegl|minimal)
    | PySide6/Qt/plugins/imageformats/libq(pdf|tga|tiff|wbmp|icns)
    | (^|/)libQt6(Network|Qml|Quick|Pdf|VirtualKeyboard|Designer|Help|Test|Sql|OpenGL|EglF|Labs|UiTools)
    | PySide6/Qt/plugins/platformthemes/libqgtk3
    # Pillow decodes pictures here, and draws no text.
    | PIL/_(imagingft|imagingcms|imagingtk)\.
    | (pillow\.libs|PIL/\.dylibs)/lib(freetype|harfbuzz|lcms2|brotli)
    | \.(pyi|h|c|pyx|pxd|cmake|jl)$
    | (^|/)tests?/
    # keyring finds its backends, and opentelemetry its context, by their entry points.
    | -info/(RECORD|INSTALLER|REQUESTED|top_level\.txt|direct_url\.json|sboms/.*|licen[sc]es/.*)$
    """,
    re.VERBOSE,
)


def networks_by_name(resources: Path) -> list[str]:
    """Return the families of mlx-vlm's networks that are imported by their names: language models and encoders."""
    loadable = json.loads((resources / "loadable.json").read_text(encoding="utf-8"))
    return [*loadable["mlx_vlm"]["models"], *ENCODERS]


def needed_here(requirements: Iterable[str]) -> list[str]:
    """Return the names of the libraries that these requirements need on this system.

    Some of them read their own version, so the bundle includes their metadata.
    """
    read = map(Requirement, requirements)
    return [
        requirement.name
        for requirement in read
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    ]


def is_unused_module(name: str) -> bool:
    """Return whether a module of transformers is of no use to a tokenizer."""
    if name.startswith("transformers.models"):
        return _OF_TOKENIZERS.fullmatch(name) is None
    return _NOT_OF_TOKENIZERS.match(name) is not None


def is_unused_file(path: str) -> bool:
    """Return whether a file, named by its path in the bundle, is left out."""
    if path == "transformers/__init__.py":
        # Its processors run it once more, from its file.
        return False
    if path.startswith("transformers/") and path.endswith(".py"):
        # transformers reads the sources of its models to find their definitions, and no other sources.
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return not path.startswith("transformers/models/") or is_unused_module(name)
    if ".dist-info/" in path and path.partition("-")[0] in UNUSED_MODULES:
        # PyInstaller takes the metadata of all that transformers can use. Those of what is left out have no notice.
        return True
    return _UNUSED_FILES.search(path) is not None


def needed_binaries(
    binaries: Iterable[Entry], imports_of: Callable[[str], Iterable[tuple[str, str | None]]]
) -> list[Entry]:
    """Leave out the system's libraries to which no binary that is kept is linked, directly or through others.

    The system's libraries are at the top of the bundle, next to extension modules without a package. `imports_of`
    returns the names and paths of the libraries that a file is linked to.
    """
    binaries = list(binaries)
    by_name = {Path(entry[0]).name: entry for entry in binaries}
    # The program loads libpython itself, so nothing is linked to it.
    always_kept = [entry for entry in binaries if "/" in entry[0] or "libpython" in entry[0] or entry[2] == "EXTENSION"]
    needed = {entry[0]: entry for entry in always_kept}
    unread = list(needed.values())
    while unread:
        for name, path in imports_of(unread.pop()[1]):
            entry = by_name.get(Path(path or name).name) or by_name.get(name)
            if entry is not None and entry[0] not in needed:
                needed[entry[0]] = entry
                unread.append(entry)
    return [entry for entry in binaries if entry[0] in needed]


def without_dangling_links(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries without the links that lead to no file or folder of them: macOS refuses an app with such a link.

    The path of a link is the path of its target, relative to its own folder; it may lead over other links.
    """
    entries = list(entries)
    # The links that were not found to lead to an entry yet, those that were, each with its target, and all files and
    # folders.
    waiting: dict[PurePosixPath, PurePosixPath] = {}
    links: dict[PurePosixPath, PurePosixPath] = {}
    there: set[PurePosixPath] = set()
    for name, path, kind in entries:
        place = PurePosixPath(name)
        if kind == "SYMLINK":
            waiting[place] = PurePosixPath(os.path.normpath(place.parent / path))
        else:
            there |= {place, *place.parents}

    def real(place: PurePosixPath) -> PurePosixPath:
        """Return a path without the links on the way to it."""
        link = next((link for link in (place, *place.parents) if link in links), None)
        return place if link is None else real(links[link] / place.relative_to(link))

    # A link may lead to another one, or to a folder in which there are only links.
    while resolved := {link: target for link, target in waiting.items() if real(target) in there}:
        links |= resolved
        there.update(*(link.parents for link in resolved))
        waiting = {link: target for link, target in waiting.items() if link not in resolved}
    return [entry for entry in entries if entry[2] != "SYMLINK" or PurePosixPath(entry[0]) in links]


def declarations(source: str) -> str:
    """Return what transformers reads of a module's source before importing it: `__all__` and requirements of classes.

    The module itself runs from the archive.
    """
    statements: list[ast.stmt] = []
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            statements.append(statement)
        elif isinstance(statement, ast.ClassDef) and statement.decorator_list:
            statement.bases = []
            statement.keywords = []
            statement.body = [ast.Pass()]
            statements.append(statement)
    return ast.unparse(ast.Module(statements, []))
