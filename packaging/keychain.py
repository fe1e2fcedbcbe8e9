"""Make a keychain with the certificate that signs a release, on a Mac of GitHub.

    python packaging/keychain.py

The certificate, in base64, and its password are in CERTIFICATE and CERTIFICATE_PASSWORD, what notarises in APPLE_ID,
APPLE_TEAM and APPLE_APP_PASSWORD, where RUNNER_TEMP and GITHUB_ENV are GitHub's. What `sign.py` needs is written to the
file of variables for the steps that follow. Raises `SystemExit` if the certificate is none that signs downloads.
"""

from __future__ import annotations

import base64
import os
import re
import secrets
import subprocess
from pathlib import Path

# The name of credentials in the keychain.
PROFILE = "tandem"
_IDENTITY = re.compile(r'"(Developer ID Application[^"]*)"')


def main() -> None:
    """Make the keychain, and tell the later steps of the workflow what to sign with."""
    temporary = Path(os.environ["RUNNER_TEMP"])
    keychain = temporary / "release.keychain"
    make_keychain(keychain, temporary / "certificate.p12")
    listed = security("find-identity", "-v", "-p", "codesigning", keychain)
    identity = _IDENTITY.search(listed)
    if identity is None:
        raise SystemExit(f'MACOS_CERTIFICATE has no valid "Developer ID Application": {listed.strip()}')
    variables = {"TANDEM_SIGNING_IDENTITY": identity[1]}
    if os.environ.get("APPLE_ID"):
        store_credentials(keychain)
        variables["TANDEM_NOTARY_PROFILE"] = PROFILE
        variables["TANDEM_NOTARY_KEYCHAIN"] = str(keychain)
    with Path(os.environ["GITHUB_ENV"]).open("a", encoding="utf-8") as file:
        file.writelines(f"{name}={value}\n" for name, value in variables.items())


def make_keychain(keychain: Path, certificate: Path) -> None:
    """Make an open keychain with the certificate, which codesign may use without asking."""
    password = secrets.token_hex(16)
    security("create-keychain", "-p", password, keychain)
    # Without a time limit: a keychain that locks while Apple's notaries work makes codesign wait for a password.
    security("set-keychain-settings", keychain)
    security("unlock-keychain", "-p", password, keychain)
    certificate.touch(mode=0o600)
    certificate.write_bytes(base64.b64decode(os.environ["CERTIFICATE"]))
    try:
        allowed = ("-T", "/usr/bin/codesign")
        security("import", certificate, "-P", os.environ["CERTIFICATE_PASSWORD"], "-k", keychain, *allowed)
    finally:
        certificate.unlink()
    security("set-key-partition-list", "-S", "apple-tool:,apple:", "-s", "-k", password, keychain)
    security("list-keychains", "-d", "user", "-s", keychain, "login.keychain")


def security(command: str, *arguments: str | Path) -> str:
    """Run a command of macOS's `security` and return its output. Raises `SystemExit` if it fails.

    Not subprocess.CalledProcessError, whose text has the passwords among the arguments.
    """
    done = subprocess.run(["security", command, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"security {command} failed with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def store_credentials(keychain: Path) -> None:
    """Store what Apple's notaries know the publisher by. Raises `SystemExit` if Apple does not accept it.

    Not in the default keychain, which is closed on Macs to which nobody has signed in.
    """
    account = ("--apple-id", os.environ["APPLE_ID"], "--team-id", os.environ["APPLE_TEAM"])
    password = ("--password", os.environ["APPLE_APP_PASSWORD"])
    command = ["xcrun", "notarytool", "store-credentials", PROFILE, "--keychain", str(keychain)]
    command += [*account, *password]
    if subprocess.run(command, timeout=600).returncode:
        raise SystemExit("Apple does not accept APPLE_ID, APPLE_TEAM and APPLE_APP_PASSWORD")


if __name__ == "__main__":
    main()
