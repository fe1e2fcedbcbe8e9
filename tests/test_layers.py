"""The order of the layers: the imports that each package may have, and libraries that nothing asks for."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]

# A package imports only those before it; modules at the top of app/ may import all of them.
APP_LAYERS = (
    "system", "text", "widgets", "actions", "settings", "api", "agents", "tools", "conversations", "session",
    "library", "wording", "sidebar", "composer", "transcript", "speculation", "models",
    "settings_window", "window", "cli",
)  # fmt: skip
# The parts of the engine that engine/speculation imports: nothing of its thread, of chats or of the Hub.
BELOW_SPECULATION = (
    "engine.ahead", "engine.answer_index", "engine.cpu_backend", "engine.errors", "engine.files",
    "engine.grammars", "engine.heads", "engine.main_model.loaded_model",
    "engine.main_model.output_rows", "engine.main_model.sampling", "engine.methods", "engine.mlx_lm_private",
    "engine.pictures", "engine.requests",
    "engine.speculation.conversation", "engine.stats", "engine.status", "engine.tokenizers.prompts",
    "engine.tokenizers.vocabulary", "engine.tuning",
)  # fmt: skip
# The parts of the engine that engine/heads imports: files and errors, nothing of rounds, samplers or chats.
BELOW_HEADS = ("engine.cpu_backend", "engine.errors", "engine.files", "engine.model_files")
WITHOUT_QT = ("engine", "app.agents", "app.api", "app.conversations", "app.text", "app.tools")


def modules(package: str) -> dict[str, Path]:
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = {**modules("engine"), **modules("app")}


def imports(path: Path) -> Iterator[str]:
    """Yield every module that a file imports, also for type checkers and inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES else node.module


@cache
def imported() -> dict[str, list[str]]:
    """Return what each module imports."""
    return {name: sorted(set(imports(path))) for name, path in MODULES.items()}


def layer(module: str) -> str:
    """Return the package of a module of app; "" for those at the top."""
    parts = module.split(".")
    return parts[1] if len(parts) > 2 or (ROOT / "app" / parts[-1]).is_dir() else ""


def circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of nodes that reach each other (Tarjan's strongly connected components of more than one)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(arrows.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(group)

    for node in sorted(arrows):
        if node not in index:
            visit(node)
    return found


def test_every_library_that_is_imported_is_asked_for() -> None:
    """Another library's requirement may go with its next version. mlx-vlm is installed without its own."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked_for = {canonicalize_name(Requirement(line).name) for line in project["dependencies"]} | {"mlx-vlm"}
    packages = packages_distributions()
    known = {*sys.stdlib_module_names, "app", "engine"}
    missing = {
        f"{name} -> {other}"
        for name in MODULES
        for other in {module.partition(".")[0] for module in imported()[name]} - known
        if not asked_for & {canonicalize_name(distribution) for distribution in packages.get(other, ())}
    }
    assert not missing


def test_engine_never_imports_app() -> None:
    assert not [name for name in modules("engine") for other in imported()[name] if other.split(".")[0] == "app"]


def test_every_package_of_app_is_a_layer() -> None:
    packages = {path.name for path in (ROOT / "app").iterdir() if (path / "__init__.py").exists()}
    assert packages == set(APP_LAYERS)


@pytest.mark.parametrize("package", APP_LAYERS)
def test_a_layer_imports_only_what_is_below_it(package: str) -> None:
    below = APP_LAYERS[: APP_LAYERS.index(package) + 1]
    upwards = [
        f"{name} -> {other}"
        for name in modules(f"app/{package}")
        for other in imported()[name]
        if other.startswith("app.") and layer(other) not in below
    ]
    assert not upwards


def test_no_file_imports_itself_over_others() -> None:
    arrows = {name: {other for other in imported()[name] if other in MODULES and other != name} for name in MODULES}
    assert circles(arrows) == []


def test_packages_of_the_engine_import_in_one_direction() -> None:
    """A module at the top of engine/ is a package of its own here."""
    arrows: dict[str, set[str]] = defaultdict(set)
    for name in modules("engine"):
        own = name.split(".")[1] if "." in name else ""
        for other in imported()[name]:
            theirs = other.split(".")[1] if other.startswith("engine.") else ""
            if own and theirs and own != theirs:
                arrows[own].add(theirs)
    assert circles(arrows) == []


@pytest.mark.parametrize(("package", "below"), [("speculation", BELOW_SPECULATION), ("heads", BELOW_HEADS)])
def test_speculation_and_heads_import_only_what_they_need(package: str, below: tuple[str, ...]) -> None:
    beyond = {
        f"{name} -> {other}"
        for name in modules(f"engine/{package}")
        for other in imported()[name]
        if other.startswith("engine.") and not other.startswith((f"engine.{package}", *below))
    }
    assert not beyond


def test_requests_import_neither_dialects_nor_what_serves() -> None:
    upwards = [
        f"{name} -> {other}"
        for name in modules("app/api/requests")
        for other in imported()[name]
        if other.startswith("app.api") and not other.startswith("app.api.requests")
    ]
    assert not upwards


def test_dialects_are_known_to_the_routes_only() -> None:
    users = {
        name
        for name in modules("app")
        for other in imported()[name]
        if other.startswith("app.api.dialects") and not name.startswith("app.api.dialects")
    }
    assert users == {"app.api.routes"}


@pytest.mark.parametrize("package", WITHOUT_QT)
def test_a_package_without_qt_imports_none(package: str) -> None:
    for name in modules(package.replace(".", "/")):
        qt = [other for other in imported()[name] if other.split(".")[0] in ("PySide6", "shiboken6")]
        assert not qt, f"{name} imports {qt}"
