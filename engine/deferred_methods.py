"""Compiles what `@dataclass` writes for Tandem's own classes when it is called first, instead of at import.

The decorator compiles up to six functions for each class. Most classes that a start imports are never compared, hashed
or printed in it, and compiling took more than any one package that it imports. The functions are those of the
decorator; only `inspect.signature` sees less of one that was not called yet. Classes of other packages are left as they
are, and so are all under Python 3.13 and later, whose decorator works otherwise. To import this is enough.
"""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

_PACKAGES = ("app", "engine")


def _install() -> None:
    own: Callable[..., FunctionType] | None = getattr(dataclasses, "_create_fn", None)
    if own is None:
        return

    def create(
        name: str,
        arguments: Sequence[str],
        body: Sequence[str],
        *,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> FunctionType:
        module = (globals or {}).get("__name__", "")
        if module.partition(".")[0] not in _PACKAGES:
            return own(name, arguments, body, globals=globals, locals=locals, **options)
        # With its own namespace in place of variables around it, the function can take over compiled code.
        namespace = {**(locals or {}), "__name__": module, "__builtins__": builtins}
        return _deferred(name, namespace, lambda: own(name, arguments, body, globals=namespace, **options))

    dataclasses._create_fn = create  # type: ignore[attr-defined]


def _deferred(name: str, namespace: dict[str, Any], compiled: Callable[[], FunctionType]) -> FunctionType:
    """A function that turns into the `compiled` one when it is called first, from whichever threads."""
    function = FunctionType(_first_call.__code__, namespace, name)
    function.__qualname__ = f"__create_fn__.<locals>.{name}"

    def become() -> FunctionType:
        made = compiled()
        function.__defaults__, function.__kwdefaults__ = made.__defaults__, made.__kwdefaults__
        function.__annotations__ = made.__annotations__
        # Last: a call on another thread runs the old code or all of the new.
        function.__code__ = made.__code__
        return function

    namespace["become"] = become
    return function


def _first_call(*values: Any, **named: Any) -> Any:
    return globals()["become"]()(*values, **named)


_install()
