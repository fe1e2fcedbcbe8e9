"""MLX's Metal kernels of quantised products, and ours, compiled for the processor, so that their bits can be compared.

MLX's are read from the headers of the installed package. What a Metal compiler may do beyond C++, such as fusing a
product and a sum, is not seen here; `engine.row_kernels.choice` compares bits on the machine itself, too.
"""

from __future__ import annotations

import ctypes
import hashlib
import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.row_kernels.product import PACKS, PRODUCT_HEADER, SIMDS, SOURCE, TILE, template_of

METAL = (Path(__file__).parent / "metal.h").read_text()
HEADERS = Path(mx.__file__).parent / "include/mlx/backend/metal/kernels"
AFFINE = (
    "short get_pack_factor(", "short get_bytes_per_pack(", "U load_vector(", "U load_vector_safe(", "U qdot(",
    "U qdot_safe(", "void dequantize(", "void qmv_fast_impl(", "void qmv_impl(", "void qmv_wide_impl(",
)  # fmt: skip
FLOAT = (
    "short get_pack_factor(", "short get_bytes_per_pack(", "T dequantize_scale(", "struct Dequantize {",
    "void load_vector(", "void load_vector_safe(", "U qdot(", "U\nqdot_safe(", "void fp_qmv_fast_impl(",
    "void fp_qmv_impl(",
)  # fmt: skip
TYPES = {mx.bfloat16: "bfloat16_t", mx.float16: "half", mx.float32: "float"}
# MLX's kernel for several rows sums each over so many of the 32 threads.
WIDE_THREADS = 8
# Other processors than those by Intel and AMD fuse without being asked to.
_FUSING = ("-mfma",) if platform.machine() in {"x86_64", "AMD64"} else ()


@dataclass(frozen=True)
class Kind:
    """A way of quantising, and the type of the inputs: float32 shows what rounding to 16 bits would hide."""

    mode: str
    bits: int
    group_size: int
    dtype: mx.Dtype = mx.bfloat16

    @property
    def affine(self) -> bool:
        return self.mode == "affine"


KINDS = [
    Kind("affine", 4, 64, mx.float32), Kind("affine", 4, 32), Kind("affine", 4, 128, mx.float16),
    Kind("affine", 8, 64), Kind("affine", 8, 32, mx.float32), Kind("affine", 3, 64, mx.float32),
    Kind("affine", 5, 64, mx.float32), Kind("affine", 6, 128, mx.float32), Kind("mxfp4", 4, 32, mx.float32),
    Kind("affine", 5, 32, mx.float16), Kind("affine", 6, 32, mx.float32),
    Kind("mxfp4", 4, 32, mx.float16), Kind("nvfp4", 4, 16, mx.float32), Kind("mxfp8", 8, 32, mx.float32),
]  # fmt: skip
Matrix = tuple[mx.array, mx.array, mx.array | None]


@cache
def clang() -> str | None:
    """Return the path of Clang, as on every Mac; None if there is none that knows the type of 16 bits `_Float16` here.

    For x86-64 it does from version 15 on; g++ takes its place.
    """
    compiler = shutil.which("clang++")
    if compiler is None:
        return None
    tried = subprocess.run(
        [compiler, "-x", "c++", "-fsyntax-only", "-"], input=b"_Float16 half;", capture_output=True, check=False
    )
    return None if tried.returncode else compiler


def compiled(source: str, folder: Path, options: Sequence[str] = ("-O1", "-ffp-contract=off")) -> ctypes.CDLL:
    """Return the library of a source, which is compiled once for all tests."""
    library = folder / f"{hashlib.sha256(f'{options}{source}'.encode()).hexdigest()[:16]}.so"
    if not library.exists():
        text = library.with_suffix(".cpp")
        text.write_text(source)
        compiler = clang() or shutil.which("g++")
        if compiler is None:
            pytest.skip("needs a C++ compiler (g++)")
        common = ("-std=c++20", "-fno-strict-aliasing", "-shared", "-fPIC", "-w")
        subprocess.run([compiler, *common, *options, str(text), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def quantised(kind: Kind, weight: mx.array) -> Matrix:
    """Return weights, scales and biases of a matrix (outputs, inputs)."""
    weight, scales, *biases = mx.quantize(weight.astype(kind.dtype), kind.group_size, kind.bits, mode=kind.mode)
    return weight, scales, biases[0] if biases else None


class Kernels:
    """The compiled kernels of one kind: `one_row` and `wide` are MLX's, `ours` is that of `engine.row_kernels`.

    If `fused`, the compiler may round a product and a sum once, as Metal's may; this needs a processor that can.
    `counted` is for `weights_read`.
    """

    def __init__(self, kind: Kind, folder: Path, *, fused: bool = False, counted: bool = False) -> None:
        self._kind = kind
        source = METAL + _mlx(kind) + PRODUCT_HEADER + _entries(kind)
        self._build(source, folder, fused=fused, counted=counted)

    def _build(self, source: str, folder: Path, *, fused: bool, counted: bool) -> None:
        # Metal's compiler fuses within a statement, in the mode in which MLX compiles, and so does Clang that is told
        # "on"; g++ knows only "fast", across statements, with which Clang fuses otherwise in each kernel.
        contracted = ("-O1", f"-ffp-contract={'on' if clang() else 'fast'}", "-fno-tree-vectorize", *_FUSING)
        options = contracted if fused else ("-Og", "-ffp-contract=off", *(["-DCOUNTED"] if counted else []))
        self._library = compiled(source, folder, options)

    def one_row(self, x: mx.array, matrix: Matrix) -> mx.array:
        """Return the products of rows that are each computed alone."""
        # As MLX's dispatcher decides: 64 packs of 8 weights, or of 4 of 6 and 8 bits (mlx#3965).
        step = 256 if self._kind.bits in (6, 8) else 512
        return self._run("one_row_fast" if x.shape[1] % step == 0 else "one_row", x, matrix)

    def wide(self, x: mx.array, matrix: Matrix) -> mx.array:
        """Return the products as MLX's kernel for several rows computes them; affine only."""
        return self._run("wide", x, matrix)

    def ours(self, x: mx.array, matrix: Matrix) -> mx.array:
        template = template_of(len(x), x.shape[1], self._kind.bits, self._kind.group_size, affine=self._kind.affine)
        return self._run(f"ours_{template['ROWS']}_{template['VALUES']}", x, matrix)

    def weights_read(self) -> int:
        """Return the bytes of weights that threads have read since the last call; each counts once for a thread."""
        return int(self._library.weights_read())

    def _run(self, name: str, x: mx.array, matrix: Matrix) -> mx.array:
        weight, scales, biases = matrix
        arrays = [_bytes(weight), _bytes(scales), _bytes(scales if biases is None else biases), _bytes(x)]
        found = np.zeros((len(x), len(weight) * x.itemsize), np.uint8)
        self._call(name, [*arrays, found], (x.shape[1], len(weight), len(x)))
        return mx.array(found).view(x.dtype)

    def _call(self, name: str, arrays: Sequence[np.ndarray], sizes: tuple[int, int, int]) -> None:
        """Call a kernel; the last of the arrays (bytes) is its output. `sizes` are inputs, outputs and rows."""
        getattr(self._library, name)(*(array.ctypes.data_as(ctypes.c_void_p) for array in arrays), *sizes)


def _bytes(array: mx.array) -> np.ndarray:
    return np.ascontiguousarray(np.array(mx.contiguous(array).view(mx.uint8)))


def _mlx(kind: Kind) -> str:
    """Return the parts of MLX's header that compute products of the kind."""
    text = (HEADERS / ("quantized.h" if kind.affine else "fp_quantized.h")).read_text()
    parts = [_definition(text, name) for name in (AFFINE if kind.affine else FLOAT)]
    before = [] if kind.affine else [(HEADERS / name).read_text() for name in ("fp4.h", "fp8.h")]
    sizes = "MLX_MTL_CONST int SIMD_SIZE = 32;\nMLX_MTL_CONST int QUAD_SIZE = 4;\n"
    return "\n".join([sizes, *before, *parts])


def _definition(text: str, name: str) -> str:
    """Return the template with that name, with its body."""
    at = text.index(name)
    start, end, depth = text.rindex("template", 0, at), text.index("{", at), 0
    while True:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            return text[start:end] + ";\n"


def _entries(kind: Kind) -> str:
    """Return functions for ctypes, all with the same arguments."""
    t, g, b = TYPES[kind.dtype], kind.group_size, kind.bits
    scales = t if kind.affine else "uint8_t"
    arguments = f"const uint32_t* w, const {scales}* scales, const {t}* biases, const {t}* x, {t}* y, int K, int N"
    prefix, given = ("", "w, scales, biases, x, y") if kind.affine else ("fp_", "w, scales, nullptr, x, y")
    kernels = {
        "one_row": f"{prefix}qmv_impl<{t}, {g}, {b}>({given}, K, N, at, group, lane);",
        "one_row_fast": f"{prefix}qmv_fast_impl<{t}, {g}, {b}, true>({given}, K, N, at, group, lane);",
    }
    # The threadgroups across rows, and the SIMD groups of each.
    rows, groups = dict.fromkeys(kernels, "M"), dict.fromkeys([*kernels, "wide"], 2)
    if kind.affine:
        kernels["wide"] = f"qmv_wide_impl<{t}, {g}, {b}, 4, {WIDE_THREADS}>({given}, K, N, M, at, group, lane);"
        rows["wide"] = "(M + 3) / 4"
    body = [_kernel_of_ours(scales)]
    for tile in range(2, TILE + 1):
        for count in (1, 2):
            run = count * PACKS.get(b, 32 // b)
            name = f"ours_{tile}_{run}"
            shapes = "const int x_shape[] = {M, K}, w_shape[] = {N, K};"
            values = f"{tile}, {b}, {g}, {run}, {str(kind.affine).lower()}, {SIMDS}"
            kernels[name] = f"{shapes} ours<{t}, {values}>(w, scales, biases, x, y, x_shape, w_shape, at, group, lane);"
            rows[name], groups[name] = f"(M + {tile - 1}) / {tile}", SIMDS
    for name, call in kernels.items():
        down = f"(N + {4 * groups[name] - 1}) / {4 * groups[name]}"
        grid = f"{{uint({rows[name]}), uint({down}), 1}}, {32 * groups[name]}"
        body.append(
            f'extern "C" void {name}({arguments}, int M) {{\n'
            f"  run_threadgroups({grid}, [&](uint3 at, int thread_) {{\n"
            f"    const uint group = thread_ / 32, lane = thread_ % 32;\n    {call}\n  }});\n}}"
        )
    return "\n".join(body)


def _kernel_of_ours(scales: str) -> str:
    """Return our kernel as `mx.fast.metal_kernel` declares it: a template around the body."""
    return (
        "template <typename T, int ROWS, int BITS, int GROUP, int VALUES, bool AFFINE, int SIMDS>\n"
        f"static void ours(const uint32_t* w, const {scales}* scales, const T* biases, const T* x, T* y,\n"
        "    const int* x_shape, const int* w_shape, uint3 threadgroup_position_in_grid,\n"
        "    uint simdgroup_index_in_threadgroup, uint thread_index_in_simdgroup) {\n"
        f"{SOURCE}\n}}\n"
    )
