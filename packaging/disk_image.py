"""Make the disk image for downloads of Tandem.app, with a link to Applications to drag the app onto.

python packaging/disk_image.py APP DMG
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import dmgbuild

# Points in the image's window.
_WINDOW = ((200, 120), (560, 360))
_APP = (150, 170)
_APPLICATIONS = (410, 170)
# hdiutil says "resource busy" while Spotlight reads the image.
_TRIES = 5


def main(app: str, image: str) -> None:
    """Write the disk image of an app to the file `image`."""
    settings = {
        "files": [app],
        "symlinks": {"Applications": "/Applications"},
        "icon_locations": {Path(app).name: _APP, "Applications": _APPLICATIONS},
        "window_rect": _WINDOW,
        "background": "builtin-arrow",
        "icon_size": 96,
        "format": "ULMO",
        "filesystem": "HFS+",
    }
    for left in reversed(range(_TRIES)):
        try:
            dmgbuild.build_dmg(image, "Tandem", settings=settings)
            return
        except (dmgbuild.DMGError, subprocess.CalledProcessError):
            if not left:
                raise
            time.sleep(5)


if __name__ == "__main__":
    main(*sys.argv[1:])
