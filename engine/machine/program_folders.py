"""The folders in which package managers put programs, beyond those that the system names. Imports no MLX.

A program that was not started in a terminal does not read the files in which a shell adds them to PATH. Nor does one
that macOS's sshd starts, which finds programs in /usr/bin:/bin:/usr/sbin:/sbin only.
"""

from __future__ import annotations

# Homebrew's folders on Apple's and on Intel's chips, and the folder of uv, pipx and others; "~" is the home folder.
USUAL_FOLDERS = ("/opt/homebrew/bin", "/usr/local/bin", "~/.local/bin")
