"""dmgbuild with a folder for a volume; as it, without a look at the exit code of `ditto`."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any


class DMGError(Exception):
    """A command of hdiutil failed."""


def build_dmg(image: str, volume_name: str, settings: dict[str, Any]) -> None:
    """Make an image of the files and links."""
    with tempfile.TemporaryDirectory() as folder:
        for file in settings["files"]:
            subprocess.call(["ditto", file, str(Path(folder, Path(file).name))])
        for name, target in settings["symlinks"].items():
            Path(folder, name).symlink_to(target)
        subprocess.run(["hdiutil", "create", "-srcfolder", folder, "-volname", volume_name, image], check=True)
