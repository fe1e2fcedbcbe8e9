"""The tests of the tests: each fault, seeded into a copy of packaging/, is found by a test of the default tier.

Every one of them would let a build on Linux end well, and would reach people or stop a release on a Mac. Each takes up
to ten seconds, so they are a campaign.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.campaign, pytest.mark.skipif(sys.platform != "linux", reason="links stand for the checkout")]


@dataclass(frozen=True)
class Fault:
    """A change of a file of packaging/, and the test file that has to fail by it."""

    name: str
    file: str
    old: str
    new: str
    found_by: str


_SIGNED = '    "sign-app": sign_app,\n'
_COLLECTED = '    "collect": collect,\n'
_NESTED = "    for file in nested_code(app):\n        run(*signing, file)\n"
FAULTS = (
    Fault("sealed-early", "build.py", _COLLECTED + _SIGNED, _SIGNED + _COLLECTED, "test_build"),
    Fault("image-unseen", "build.py", '    "check-image": check_image,\n', "", "test_build"),
    Fault("refused", "sign.py", 'answer.get("status") != "Accepted"', "not answer", "test_signing"),
    Fault("image-seal", "check_image.py", "[*differences(source, copied)]", "[]", "test_check_image"),
    Fault("nested-code", "sign.py", _NESTED, "", "test_signing"),
    Fault("metallib", "bundle/tandem.spec", '"share"])', '"share", "lib/mlx.metallib"])', "test_spec"),
    Fault("own-metadata", "bundle/tandem.spec", '("tandem-chat", *contents', "(*contents", "test_spec"),
    Fault("translations", "bundle/tandem.spec", ', (str(SITE / "i18n"), "i18n")]', "]", "test_spec"),
    Fault("qt-japanese", "bundle/contents.py", "qtbase_(ko|ja|zh_CN)", "qtbase_(ko|zh_CN)", "test_spec"),
    Fault("qt-chinese", "bundle/contents.py", "qtbase_(ko|ja|zh_CN)", "qtbase_(ko|ja)", "test_spec"),
    Fault("intel", "bundle/tandem.spec", 'target_arch="arm64"', 'target_arch="x86_64"', "test_spec"),
    Fault("console", "bundle/tandem.spec", 'console=sys.platform != "darwin"', "console=True", "test_spec"),
    Fault("licences", "notices.py", "licen[sc]e|copying", "licenc|copying", "test_notices"),
    Fault("mlx-vlm", "notices.py", 'needed_by("tandem-chat", *BESIDE)', 'needed_by("tandem-chat")', "test_notices"),
    Fault("mlx-for-26", "build.py", "macosx_{macos.partition('.')[0]}_0_arm64", "macosx_26_0_arm64", "test_build"),
    Fault("python-macos", "build.py", '        "SYSTEM_VERSION_COMPAT": "0",\n', "", "test_build"),
    Fault("keyring", "bundle/contents.py", "-info/(RECORD|", r"-info/(entry_points\.txt|RECORD|", "test_bundle"),
    Fault("sandbox", "bundle/launcher.py", '["--sandbox"]', '["--sandboxed"]', "test_bundle"),
    Fault("drafts-ahead", "bundle/launcher.py", '["--draft-runner"]', '["--draft"]', "test_bundle"),
    Fault("tools", "bundle/launcher.py", '["--tool-server"]', '["--tools"]', "test_bundle"),
    Fault("no-window", "verify.py", "_NOT_FOUND.findall(said.stdout)", "()", "test_build"),
    Fault("offscreen", "bundle/contents.py", "libq(eglfs|", "libq(offscreen|eglfs|", "test_bundle"),
    Fault("pictures", "bundle/contents.py", "imageformats/libq(pdf|", "imageformats/libq(svg|jpeg|pdf|", "test_bundle"),
    Fault("entitlement", "sign.py", '"--entitlements", ENTITLEMENTS, app', "app", "test_signing"),
    Fault("memory", "bundle/entitlements.plist", "allow-unsigned-executable-memory", "allow-jit", "test_info_plist"),
    Fault("chinese", "bundle/info_plist.py", "in LOCALISATIONS:", "in LOCALISATIONS[:3]:", "test_info_plist"),
    Fault("oldest", "bundle/info_plist.py", '"LSMinimumSystemVersion"', '"LSMinimumSystem"', "test_info_plist"),
    Fault("network", "bundle/info_plist.py", '"NSLocalNetwork', '"NSLocalNetworks', "test_info_plist"),
    Fault("identifier", "bundle/info_plist.py", '"chat.tandem.Tandem"', '"chat.tandem.tandem"', "test_info_plist"),
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with links to everything but packaging/ and its tests, which are copies."""
    (tmp_path / "tests").mkdir()
    for entry in [*ROOT.iterdir(), *(ROOT / "tests").iterdir()]:
        if entry.name not in ("packaging", "tests"):
            (tmp_path / entry.relative_to(ROOT)).symlink_to(entry)
    shutil.copytree(ROOT / "packaging", tmp_path / "packaging")
    shutil.copytree(ROOT / "tests" / "packaging", tmp_path / "tests" / "packaging")
    return tmp_path


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_seeded_fault_is_found(fault: Fault, checkout: Path) -> None:
    file = checkout / "packaging" / fault.file
    text = file.read_text(encoding="utf-8")
    assert fault.old in text
    file.write_text(text.replace(fault.old, fault.new, 1), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, f"tests/packaging/{fault.found_by}.py"],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"^(FAILED|ERROR) ", done.stdout, re.MULTILINE)
