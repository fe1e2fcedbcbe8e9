"""Compiles the header of the kernels that MLX builds on the CPU once, so that tests wait less for each kernel."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import mlx.core as mx

_HEADER = Path("mlx/backend/cpu/compiled_preamble.h")
# The options of MLX's own builds: the compiler ignores a header that was precompiled with others.
_OPTIONS = ("-std=c++17", "-O3", "-Wall", "-fPIC")


class PrecompiledHeader:
    """A `g++` for PATH in `commands` that finds MLX's header compiled, and makes the same bytes of a kernel.

    The header is compiled in the background; until it is there, the compiler reads its text.
    """

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tandem-header-"))
        self.commands = self._folder / "bin"
        self._compiling: subprocess.Popen[bytes] | None = None
        compiler, include = shutil.which("g++"), Path(mx.__file__).parent / "include"
        if sys.platform == "linux" and compiler is not None and (include / _HEADER).exists():
            self._compile(compiler, include)

    def _compile(self, compiler: str, include: Path) -> None:
        command = self.commands / "g++"
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec "{compiler}" -I "{self._folder}" "$@"\n')
        command.chmod(0o755)
        made = self._folder / f"{_HEADER}.gch"
        made.parent.mkdir(parents=True)
        build = [compiler, *_OPTIONS, "-x", "c++-header", "-I", str(include), str(include / _HEADER)]
        # The compiled header appears whole.
        script = '"$@" -o "$0.part" && mv "$0.part" "$0"'
        self._compiling = subprocess.Popen(["sh", "-c", script, str(made), *build], stderr=subprocess.DEVNULL)

    def close(self) -> None:
        if self._compiling is not None:
            self._compiling.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
