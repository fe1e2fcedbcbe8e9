"""The emulated kernels on an arm64 processor, as Macs have, which qemu emulates on others.

A program of its own, not a library, runs there: it reads arrays from its input, calls a kernel, and writes them back.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.engine.row_kernels.emulation import Kernels

# Commands, by the packages of Debian that have them. Clang compiles, as on a Mac, with the libraries of the third.
NEEDED = {"qemu-user": "qemu-aarch64", "clang": "clang++", "g++-aarch64-linux-gnu": "aarch64-linux-gnu-g++"}
MAIN = """
#include <cstdio>
#include <cstdlib>

int main() {
  static char* arrays[64];
  static int64_t sizes[64];
  int number = 0;
  for (int64_t size; std::fread(&size, sizeof(size), 1, stdin) == 1; number++) {
    sizes[number] = size;
    arrays[number] = (char*)std::malloc(size + 1);
    if (std::fread(arrays[number], 1, size, stdin) != size_t(size)) return 1;
  }
  call(arrays);
  for (int i = 0; i < number; i++) std::fwrite(arrays[i], 1, sizes[i], stdout);
}
"""


def is_playable() -> bool:
    """Return whether programs for arm64 can be compiled here, and run."""
    return all(shutil.which(command) for command in NEEDED.values())


def program(source: str, folder: Path, options: Sequence[str]) -> Path:
    """Return the program of a source, which is compiled once; its function `call` is called once for each run."""
    text = folder / f"arm64-{hashlib.sha256(f'{options}{source}'.encode()).hexdigest()[:16]}.cpp"
    path = text.with_suffix("")
    if not path.exists():
        text.write_text(source + MAIN)
        common = ("--target=aarch64-linux-gnu", "-std=c++20", "-fno-strict-aliasing", "-static", "-w")
        subprocess.run([NEEDED["clang"], *common, *options, str(text), "-o", str(path)], check=True)
    return path


def run(path: Path, arrays: Sequence[np.ndarray]) -> None:
    """Run a program with arrays, and let them have what it has left in them."""
    given = b"".join(len(array.tobytes()).to_bytes(8, "little") + array.tobytes() for array in arrays)
    written = subprocess.run([NEEDED["qemu-user"], str(path)], input=given, stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for array in arrays:
        array.view(np.uint8).reshape(-1)[:] = np.frombuffer(written, np.uint8, array.nbytes, at)
        at += array.nbytes


class Arm64Kernels(Kernels):
    """Products whose kernels run on arm64, which fuses products and sums if it is let."""

    def _build(self, source: str, folder: Path, *, fused: bool, counted: bool) -> None:
        assert not counted
        self._names = re.findall(r'extern "C" void (\w+)\(', source)
        calls = "\n".join(
            f"  if (*(int*)arrays[5] == {number})\n"
            f"    ((void (*)(char*, char*, char*, char*, char*, int, int, int)){name})(\n"
            "        arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], sizes[0], sizes[1], sizes[2]);"
            for number, name in enumerate(self._names)
        )
        entry = f"static void call(char** arrays) {{\n  const int* sizes = (const int*)arrays[5] + 1;\n{calls}\n}}\n"
        options = ("-O1", f"-ffp-contract={'on' if fused else 'off'}", "-fno-vectorize", "-fno-slp-vectorize")
        self._program = program(source + entry, folder, options)

    def _call(self, name: str, arrays: Sequence[np.ndarray], sizes: tuple[int, int, int]) -> None:
        # They are read-only where MLX owns them.
        copies = [array.copy() for array in arrays]
        run(self._program, [*copies, np.array([self._names.index(name), *sizes], np.int32)])
        arrays[-1][:] = copies[-1]
