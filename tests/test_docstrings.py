"""Docstrings are contracts: what they name exists, and what a caller has to know is in them."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from collections.abc import Iterator, Sequence, Set
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.source_files import ROOT, documented_in, is_docstring, modules_of, parse, place

IN_BACKTICKS = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# Names, attributes of them and calls without arguments; anything else in backticks is text, code or a file's name.
NAMED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\(\))?")
WORD = re.compile(r"[A-Za-z_]\w*")
# What docstrings say of other programs: HTTP's headers, names of libraries, functions of llama.cpp's converter and of
# published heads, kernels of MLX, and rules of a grammar that are made of a name.
OF_OTHERS = {
    "add_rope_dimension_count",
    "build_target_layer_ids",
    "caffeinate",
    "call_i",
    "call_i_n",
    "call_i_value_n",
    "call_tool",
    "clear",
    "clear()",
    "detail",
    "generate_extra_tensors",
    "guided_decoding_backend",
    "mcp",
    "null",
    "num_gpu",
    "OAuthContext",
    "objectName",
    "Origin",
    "PARENT",
    "ParseError",
    "ParserLimits",
    "qmv",
    "qmv_fast",
    "secure_delete",
    "sendEvent",
    "set_gguf_parameters",
    "sysctl",
    "TextModel",
    "TokenStorage",
    "winId()",
}


class DocumentedFile(NamedTuple):
    """What is asked of a file, whose syntax tree is made once and not kept."""

    is_package: bool
    # Whether it is one of a package that Tandem ships, and not of its build.
    ships: bool
    # The first docstring is that of the module, if it has one.
    documented: list[Documented]
    comments: list[Documented]
    names: frozenset[str]
    public: list[Function]
    # The classes, with the names of their bases.
    bases: dict[str, set[str]]


class Documented(NamedTuple):
    place: str
    docstring: str
    # Whether it is a function that is declared to return None.
    returns_nothing: bool


class Function(NamedTuple):
    place: str
    docstring: str
    # The names of the classes in its `raise` statements.
    raises: frozenset[str]


@cache
def source_files() -> dict[str, DocumentedFile]:
    """Return the files of the app, the engine and the build by their paths."""
    return {str(path.relative_to(ROOT)): read(path) for path in modules_of("app", "engine", "packaging")}


def read(path: Path) -> DocumentedFile:
    module, nodes = parse(path)
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for node in nodes
        if isinstance(node, ast.ClassDef)
    }
    return DocumentedFile(
        path.name == "__init__.py",
        path.relative_to(ROOT).parts[0] != "packaging",
        [Documented(place(path, node), text, returns_nothing(node)) for node, text in documented_in(nodes)],
        list(comments_in(path)),
        frozenset((*names_in(nodes), *path.relative_to(ROOT).with_suffix("").parts)),
        list(public_functions(path, module)),
        bases,
    )


def comments_in(path: Path) -> Iterator[Documented]:
    """Yield the comments that have lines of their own: a comment after code has no names in backticks."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for is_comment, numbered in groupby(enumerate(lines, 1), lambda line: line[1].lstrip().startswith("# ")):
        if is_comment:
            block = list(numbered)
            yield Documented(f"{path.relative_to(ROOT)}:{block[0][0]}", "\n".join(line for _, line in block), False)


def returns_nothing(node: ast.AST) -> bool:
    returns = node.returns if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None
    return isinstance(returns, ast.Constant) and returns.value is None


def names_in(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield each name that code uses, and each word of its strings, which name fields, options and kinds of models."""
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr) and is_docstring(node)}
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                yield from WORD.findall(text)
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.ImportFrom(module=str(module)):
                yield from module.split(".")
            case ast.alias(name=name):
                yield from name.split(".")


def public_functions(path: Path, tree: ast.Module) -> Iterator[Function]:
    """Yield the functions of a module and the methods of its classes whose names say that others call them."""
    owners = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))]
    for node in (node for owner in owners for node in owner.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield Function(place(path, node), ast.get_docstring(node) or "", frozenset(raised_in(node)))


def raised_in(function: ast.AST) -> Iterator[str]:
    """Yield the classes of its `raise` statements; those inside a `try` that catches the class do not leave it."""
    caught = {
        name.id
        for node in ast.walk(function)
        if isinstance(node, ast.Try)
        for handler in node.handlers
        for name in ast.walk(handler.type or ast.Constant(None))
        if isinstance(name, ast.Name)
    }
    for node in ast.walk(function):
        match node:
            case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))) if name not in caught:
                yield name


def test_every_name_in_backticks_exists() -> None:
    known = {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names, *OF_OTHERS}
    for file in source_files().values():
        known |= file.names
    unknown = [
        f"{documented.place} `{text}`"
        for file in source_files().values()
        for documented in file.documented
        for text in IN_BACKTICKS.findall(documented.docstring)
        if NAMED.fullmatch(text) and not known.issuperset(WORD.findall(text))
    ]
    assert unknown == []


def modules_near(path: Path) -> Iterator[str]:
    """Yield the names of the packages that a file is in, and of the modules and packages beside it and them."""
    for folder in path.parents[: len(path.relative_to(ROOT).parts) - 1]:
        yield folder.name
        yield from (beside.stem for beside in folder.glob("*.py"))
        yield from (beside.parent.name for beside in folder.glob("*/__init__.py"))


def is_located(name: str, known: Set[str], owners: Set[str]) -> bool:
    """Whether a reader of a file can look a name up: its file knows it, or the name says which module or class has it.

    `known` are the names that the file knows, `owners` the classes and packages of the project.
    """
    first, _, rest = name.removesuffix("()").partition(".")
    return all(word in known for word in WORD.findall(name)) or (rest != "" and (first in owners or first in known))


def unlocated_names(text: str, known: Set[str], owners: Set[str]) -> list[str]:
    """Return the names in the backticks of a docstring that are not located; it may name the parameters of a call."""
    quoted = IN_BACKTICKS.findall(text)
    names = [name for name in quoted if NAMED.fullmatch(name)]
    parameters = {word for call in quoted if call not in names for word in WORD.findall(call)}
    return [name for name in names if not is_located(name, known | parameters, owners)]


def test_a_file_knows_the_names_in_its_backticks() -> None:
    everywhere = {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names, *OF_OTHERS, *own_errors()}
    owners = {"app", "engine"}.union(*(file.bases for file in source_files().values()))
    strange = []
    for path, file in source_files().items():
        if file.ships:
            known = everywhere | file.names | set(modules_near(ROOT / path))
            for text in file.documented + file.comments:
                strange += [f"{text.place} `{name}`" for name in unlocated_names(text.docstring, known, owners)]
    assert strange == []


@pytest.mark.parametrize(
    ("name", "is_known"), [("here", True), ("There", False), ("there.There", True), ("x.y", False)]
)
def test_a_name_is_located_by_its_file_or_its_owner(name: str, is_known: bool) -> None:
    assert is_located(name, {"here", "there"}, {"app"}) == is_known


def test_only_what_returns_something_says_so() -> None:
    documented = [documented for file in source_files().values() for documented in file.documented]
    assert [
        function.place
        for function in documented
        if function.returns_nothing and re.match(r"Returns?\b", function.docstring)
    ] == []


def own_errors() -> set[str]:
    """Return the names of the project's exceptions, also of those that inherit from others of it."""
    bases = {name: parents for file in source_files().values() for name, parents in file.bases.items()}
    errors = {"Exception"} | {name for name in dir(builtins) if name.endswith("Error")}
    while new := {name for name, parents in bases.items() if parents & errors} - errors:
        errors |= new
    return errors & bases.keys()


def unnamed_errors(function: Function, errors: set[str]) -> list[str]:
    """Return the own errors that a function raises and its docstring does not name."""
    return sorted(name for name in function.raises & errors if name not in function.docstring)


def test_public_functions_name_the_errors_that_they_raise() -> None:
    errors = own_errors()
    functions = [function for file in source_files().values() if file.ships for function in file.public]
    assert [f"{function.place} {name}" for function in functions for name in unnamed_errors(function, errors)] == []


def test_every_package_says_what_belongs_in_it() -> None:
    packages = {path: file for path, file in source_files().items() if file.is_package}
    assert [path for path, file in packages.items() if not any(of.place == f"{path}:1" for of in file.documented)] == []


@pytest.mark.parametrize("docstring", ['"""Stop."""', '"""Raise `OtherError`."""', ""])
def test_an_error_without_its_name_is_seen(docstring: str) -> None:
    tree = ast.parse(f"def stop():\n    {docstring}\n    raise Stopped()")
    [function] = public_functions(ROOT / "engine" / "engine.py", tree)
    assert unnamed_errors(function, {"Stopped"}) == ["Stopped"]
