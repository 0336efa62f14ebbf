"""The certificate and key of a user, made when first wanted: processes of whoever has them trust each other.

They lie in `$XDG_CONFIG_HOME/s2s/farm`, by default `~/.config/s2s/farm`, readable by their owner alone. A copy of the
folder on another machine lets its processes take part.
"""

import os
import tempfile
from pathlib import Path

from s2s.errors import InputError
from s2s.farm.library import distributed
from s2s.farm.security import Certificates

CERTIFICATE, KEY = "certificate.pem", "key.pem"


def user_folder() -> Path:
    """Return the folder of certificate and key."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "s2s" / "farm"


def user_certificates() -> Certificates:
    """Return the files of this user; they are written when there are none."""
    folder = user_folder()
    if not folder.is_dir():
        _write(folder)
    certificate = str(folder / CERTIFICATE)
    return Certificates(certificate, certificate, str(folder / KEY))


def _write(folder: Path) -> None:
    """Write a new pair; a folder that another process has made meanwhile is kept."""
    try:
        made = distributed().Security.temporary()
    except ImportError as error:
        raise InputError("TLS: the package cryptography is missing; pip install 's2s-compiler[farm]'") from error
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        for name, text in ((CERTIFICATE, made.tls_ca_file), (KEY, made.tls_client_key)):
            with open(os.open(Path(temporary) / name, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
                file.write(text)
        try:
            os.rename(temporary, folder)
        except OSError:
            if not folder.is_dir():
                raise
            return
        Path(temporary).mkdir()  # what the context manager removes
