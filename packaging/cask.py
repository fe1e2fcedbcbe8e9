"""Write the Homebrew cask of a release from its two disk images.

    python packaging/cask.py FOLDER REPOSITORY CASK

FOLDER has the images, and nothing else that ends in .dmg. REPOSITORY is the owner and name on GitHub, such as
"owner/tandem", whose release has them. The cask, tandem.rb, goes into a tap as Casks/tandem.rb. Homebrew's style
determines the order of its lines.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "bundle"))

from info_plist import IDENTIFIER

_IMAGE = re.compile(r"Tandem-(\d+(?:\.\d+){1,3})(-macos26)?-arm64\.dmg")
_REPOSITORY = re.compile(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+")
_CASK = """\
cask "tandem" do
  version "{version}"

  on_sequoia do
    sha256 "{older}"
    url "https://github.com/{repository}/releases/download/v#{{version}}/Tandem-#{{version}}-arm64.dmg"
  end
  on_tahoe :or_newer do
    sha256 "{newer}"
    url "https://github.com/{repository}/releases/download/v#{{version}}/Tandem-#{{version}}-macos26-arm64.dmg"

    caveats <<~EOS
      On macOS 26.0 and 26.1, Tandem opens after an update to 26.2.
    EOS
  end

  name "Tandem"
  desc "Desktop chat with local models that decode speculatively"
  homepage "https://github.com/{repository}"

  depends_on arch: :arm64
  depends_on macos: :sequoia

  app "Tandem.app"
  binary "#{{appdir}}/Tandem.app/Contents/Resources/tandem.sh", target: "tandem"

  zap trash: [
    "~/Library/Application Support/Tandem",
    "~/Library/Caches/Tandem",
    "~/Library/Preferences/{identifier}.plist",
    "~/Library/Saved Application State/{identifier}.savedState",
  ]
end
"""


def main(folder: str, repository: str, cask: str) -> None:
    """Write the cask of the images in a folder to the file `cask`."""
    Path(cask).write_text(content(sorted(Path(folder).glob("*.dmg")), repository), encoding="utf-8")


def content(images: Sequence[Path], repository: str) -> str:
    """Return the cask of two disk images. Raises `SystemExit` for others, or a repository with an invalid name."""
    named = [_IMAGE.fullmatch(image.name) for image in images]
    # The version and the image for each system: None for macOS 15, "-macos26" for macOS 26 and newer.
    images_by_system = {
        match[2]: (match[1], image) for match, image in zip(named, images, strict=True) if match is not None
    }
    versions = {version for version, _ in images_by_system.values()}
    if len(images) != 2 or images_by_system.keys() != {None, "-macos26"} or len(versions) != 1:
        raise SystemExit(f"{[image.name for image in images]} are not the disk images of a release")
    if not _REPOSITORY.fullmatch(repository):
        raise SystemExit(f"{repository!r} is not the owner and the name of a repository")
    older, newer = (
        hashlib.sha256(images_by_system[system][1].read_bytes()).hexdigest() for system in (None, "-macos26")
    )
    return _CASK.format(
        version=images_by_system[None][0], older=older, newer=newer, repository=repository, identifier=IDENTIFIER
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
