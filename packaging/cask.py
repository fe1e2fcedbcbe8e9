"""Write the Homebrew cask of a release from its disk image.

    python packaging/cask.py DISK_IMAGE REPOSITORY CASK

REPOSITORY is the owner and name on GitHub, such as "owner/tandem", whose release has the image. The cask, tandem.rb,
goes into a tap as Casks/tandem.rb. Homebrew's style determines the order of its lines.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "bundle"))

from info_plist import IDENTIFIER, LEAST_MACOS

_IMAGE = re.compile(r"Tandem-(\d+(?:\.\d+){1,3})-arm64\.dmg")
_REPOSITORY = re.compile(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+")
_MACOS = {"14": "sonoma", "15": "sequoia", "26": "tahoe"}
_CASK = """\
cask "tandem" do
  version "{version}"
  sha256 "{checksum}"

  url "https://github.com/{repository}/releases/download/v#{{version}}/Tandem-#{{version}}-arm64.dmg"
  name "Tandem"
  desc "Desktop chat with local models that decode speculatively"
  homepage "https://github.com/{repository}"

  depends_on arch: :arm64
  depends_on macos: :{macos}

  app "Tandem.app"
  binary "#{{appdir}}/Tandem.app/Contents/MacOS/Tandem", target: "tandem"

  zap trash: [
    "~/Library/Application Support/Tandem",
    "~/Library/Caches/Tandem",
    "~/Library/Preferences/{identifier}.plist",
    "~/Library/Saved Application State/{identifier}.savedState",
  ]
end
"""


def main(image: str, repository: str, cask: str) -> None:
    Path(cask).write_text(content(Path(image), repository), encoding="utf-8")


def content(image: Path, repository: str) -> str:
    """Return the cask of a disk image. Raises `SystemExit` for an image or a repository with an invalid name."""
    named = _IMAGE.fullmatch(image.name)
    if named is None:
        raise SystemExit(f"{image.name} is not named as a release's disk image")
    if not _REPOSITORY.fullmatch(repository):
        raise SystemExit(f"{repository!r} is not the owner and the name of a repository")
    with image.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    return _CASK.format(
        version=named[1],
        checksum=checksum,
        repository=repository,
        macos=_MACOS[LEAST_MACOS.partition(".")[0]],
        identifier=IDENTIFIER,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
