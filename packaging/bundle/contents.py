"""What is left out of the bundle: parts of libraries that Tandem never reaches."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from packaging.requirements import Requirement

# (path in the bundle, path on this machine, kind), as PyInstaller writes it.
Entry = tuple[str, str, str]

# Imported somewhere in a library, and never by what Tandem does with it.
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
    "pydantic",
    "pydantic_core",
    "typer",
    "unittest",
    "mlx_lm.server",
    "mlx_lm.evaluate",
    # Tools that build the bundle; libraries would use them if they were there.
    "PIL",
    "cyclonedx",
    "macholib",
    "PySide6.QtNetwork",
    "PySide6.QtQml",
    "PySide6.QtQuick",
    "PySide6.QtOpenGL",
    "PySide6.QtSql",
    "PySide6.QtTest",
]

# transformers serves for tokenizers alone: its models, image processors and trainers stay behind.
_OF_TOKENIZERS = re.compile(
    r"transformers\.models(\.\w+)?(\.(tokenization|configuration)_\w+)?|transformers\.models\.auto\.\w+"
)
_NOT_OF_TOKENIZERS = re.compile(
    r"""transformers\.(
        (pipelines|quantizers|distributed|loss|cli|data|testing_utils|optimization)\b
        | trainer
        | (image|video|audio)_
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
    # The printers of a Linux desktop would bring its whole CUPS along; printing to a file needs none.
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
    | \.(pyi|h|cmake|jl)$
    | (^|/)tests?/
    | -info/(RECORD|INSTALLER|REQUESTED|entry_points\.txt|top_level\.txt|direct_url\.json|sboms/.*|licen[sc]es/.*)$
    """,
    re.VERBOSE,
)


def needed_here(requirements: Iterable[str]) -> list[str]:
    """The names of the libraries that these requirements ask for on this system, without those of extras.

    Some of them ask for the version that they have, so the bundle has what describes them.
    """
    read = map(Requirement, requirements)
    return [one.name for one in read if one.marker is None or one.marker.evaluate({"extra": ""})]


def is_unused_module(name: str) -> bool:
    """True for a module of transformers that is of no use to a tokenizer."""
    if name.startswith("transformers.models"):
        return _OF_TOKENIZERS.fullmatch(name) is None
    return _NOT_OF_TOKENIZERS.match(name) is not None


def is_unused_file(path: str) -> bool:
    """True for a file, by its path in the bundle, that is left out."""
    if path.startswith("transformers/") and path.endswith(".py"):
        # It looks into the sources of its models for what they define; the others are not looked at.
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return not path.startswith("transformers/models/") or is_unused_module(name)
    return _UNUSED_FILES.search(path) is not None


def needed_binaries(
    binaries: Iterable[Entry], imports_of: Callable[[str], Iterable[tuple[str, str | None]]]
) -> list[Entry]:
    """Without the system's libraries that nothing left needs.

    A system's library lies at the top of the bundle; everything else came with a package. `imports_of` gives name and
    path of each library that a file is linked to.
    """
    binaries = list(binaries)
    by_name = {Path(entry[0]).name: entry for entry in binaries}
    kept = {entry[0]: entry for entry in binaries if "/" in entry[0] or "libpython" in entry[0]}
    unread = list(kept.values())
    while unread:
        for name, path in imports_of(unread.pop()[1]):
            entry = by_name.get(Path(path or name).name) or by_name.get(name)
            if entry is not None and entry[0] not in kept:
                kept[entry[0]] = entry
                unread.append(entry)
    return [entry for entry in binaries if entry[0] in kept]


def declarations(source: str) -> str:
    """What transformers looks for in the source of a module before it imports it: `__all__`, and what classes require.

    The module itself is run from the archive; the rest of its source is not read.
    """
    kept: list[ast.stmt] = []
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            kept.append(statement)
        elif isinstance(statement, ast.ClassDef) and statement.decorator_list:
            statement.bases, statement.keywords, statement.body = [], [], [ast.Pass()]
            kept.append(statement)
    return ast.unparse(ast.Module(kept, []))
