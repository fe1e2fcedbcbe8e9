"""Runs the HTTP tests of mlx-lm's own server, as they are, against `tandem serve`.

    python -m tests.tools.mlx_lm_http

Fetches the sources of the installed version of mlx-lm, and `requests`, with which its tests ask. Counts are printed at
the end; the exit code is 1 if one of the tests fails.
"""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import tarfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

# The test cases that start mlx-lm's server. One of their tests is about HTTP if it asks at the server's port and does
# not reach into the server's own objects.
CASES = ("TestServer", "TestServerWithDraftModel")
_PORT, _INSIDE = "self.port", "esponse_generator"


def fetch(folder: Path) -> Path:
    """Fetch the tests of mlx-lm's server and what they need into `folder`; return their folder."""
    pip, name = (sys.executable, "-m", "pip", "--quiet"), f"mlx-lm=={version('mlx-lm')}"
    subprocess.run([*pip, "download", "--no-deps", "--no-binary", ":all:", "--dest", folder, name], check=True)
    subprocess.run([*pip, "install", "--target", folder, "requests"], check=True)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz") / "tests"


@contextmanager
def served() -> Iterator[int]:
    """Run `tandem serve` on the starter pair, and give its port."""
    command = [sys.executable, "-m", "app", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield int(process.stderr.readline().split("/v1")[0].rpartition(":")[2])
        finally:
            process.terminate()


def http_tests(module: Any, port: int) -> unittest.TestSuite:
    """Return the tests about HTTP, which ask at this port instead of starting a server."""
    suite = unittest.TestSuite()
    for name in CASES:
        case = getattr(module, name)
        asking = type(name, (case,), {"port": port, "setUpClass": lambda: None, "tearDownClass": lambda: None})
        for test in unittest.defaultTestLoader.getTestCaseNames(case):
            source = inspect.getsource(getattr(case, test))
            if _PORT in source and _INSIDE not in source:
                suite.addTest(asking(test))
    return suite


def main() -> int:
    with TemporaryDirectory() as folder, served() as port:
        sys.path[:0] = [str(fetch(Path(folder))), folder]
        suite = http_tests(importlib.import_module("test_server"), port)
        result = unittest.TextTestRunner(verbosity=2).run(suite)
    passed = result.testsRun - len(result.failures) - len(result.errors)
    print(f"mlx-lm {version('mlx-lm')}: {passed} of {result.testsRun} tests about HTTP pass")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
