"""The sources of our kernels as MLX hands them to Metal's compiler, and what Clang says of their types.

MLX writes them itself: it puts the parameters of a kernel around its code also where there is no Metal, when a function
that uses the kernel is exported. Metal's address spaces are types of their own in `address_spaces.h`. What only Metal's
compiler knows, such as registers and the attributes of parameters, is not seen here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.row_kernels import attention, product
from engine.row_kernels.row_kernel import row_kernel

_HEADER = Path(__file__).with_name("address_spaces.h")
_OPTIONS = ("--target=aarch64-none-elf", "-std=c++20", "-fsyntax-only", "-w", "-ferror-limit=0")
# Of parameters and of a kernel: C++ does not know them, and refuses those of an instantiation.
_ATTRIBUTE = re.compile(r"\[\[.*?\]\] ?")
# Variables in a threadgroup's memory. C++ has them only where they are static; pointers to them it has anywhere.
_SHARED_VARIABLE = re.compile(r"\bthreadgroup (?=\w+ \w+ *[\[;,])")


@dataclass(frozen=True)
class MetalSource:
    """What Metal compiles for one use of a kernel, without MLX's own header; each `name` has one `text`."""

    name: str
    text: str


def sources_of(compute: Callable[[], object], chip: str = "g") -> list[MetalSource]:
    """Return the sources of the kernels that the arrays of `compute` need, on a chip with that letter.

    Nothing is computed. `compute` returns the arrays.
    """
    sources: list[MetalSource] = []

    def note(step: dict[str, Any]) -> None:
        if step.get("name") == "CustomKernel":
            name, text, *_ = step["arguments"]
            sources.append(MetalSource(name, text))

    with pytest.MonkeyPatch.context() as patch:
        # A kernel that is made here is not to be found in the cache by tests that have no GPU.
        for module in (attention, product):
            patch.setattr(module, "row_kernel", row_kernel.__wrapped__)
        patch.setattr(mx, "default_device", lambda: mx.gpu)
        patch.setattr(mx, "device_info", lambda: {"architecture": f"applegpu_g16{chip}"})
        mx.export_function(note, lambda _: compute(), mx.zeros(1))
    return sources


def type_errors(sources: Iterable[MetalSource], folder: Path) -> list[str]:
    """Return Clang's errors, each as "name of the source:line:column: error: …", if its types do not fit.

    Skips the test where there is no Clang.
    """
    compiler = shutil.which("clang++")
    if compiler is None:
        pytest.skip("needs clang++ (clang)")
    # Each stands in a namespace, so that all are read by one process; the sources of one name are the same.
    texts = {source.name: source.text for source in sources}
    parts = [_as_cpp(name, text) for name, text in texts.items()]
    path = folder / "sources.cpp"
    path.write_text("\n".join(parts))
    command = [compiler, *_OPTIONS, "-include", str(_HEADER), str(path)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    errors = [line for line in checked.stderr.splitlines() if "error: " in line]
    assert bool(errors) == bool(checked.returncode), checked.stderr
    return errors


def _as_cpp(name: str, text: str) -> str:
    """Return a source as C++ in a namespace; its lines are numbered as in `MetalSource.text`."""
    code = _SHARED_VARIABLE.sub("static threadgroup ", _ATTRIBUTE.sub("", text))
    return f'namespace source_of_{name} {{\n#line 1 "{name}"\n{code}\n}}'
