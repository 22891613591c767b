"""Images and files that clients send to be pasted: private storage, bounded, paths as the result.

Blocking file work; the caller runs it off the loop. One `Upload` belongs to one stream.
"""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from contextlib import suppress
from pathlib import Path

from luvus_service.rpc.errors import Unavailable
from luvus_service.uhp.engine.errors import InputTooLarge, RefusedParams

IMAGE_BYTES = 163_840
CHUNK_BYTES = 163_840
FILE_BYTES = 33_554_432
KEPT_FILES = 64
"""Finished files of a session; the oldest goes when another comes."""
KEPT_BYTES = 268_435_456
_PNG = b"\x89PNG\r\n\x1a\n"
_PART = ".part"


class Upload:
    """One unfinished file; may be discarded while another thread still writes."""

    def __init__(self, folder: Path, name: str, size: int) -> None:
        self.id = secrets.token_hex(16)
        self.size = size
        self.offset = 0
        self._folder = folder
        self._name = name
        self._part = folder / (self.id + _PART)
        self._lock = threading.Lock()
        self._fd = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def write(self, offset: int, data: bytes) -> None:
        """Add a piece, which must begin where the last one ended.

        Raises:
            RpcError: It does not fit; what is there stays as it is.
        """
        if offset != self.offset:
            raise RefusedParams(
                f"`offset` must be {self.offset}, where the last piece ended, not {offset}",
                dispatch="rejected",
            )
        if len(data) > CHUNK_BYTES:
            raise InputTooLarge(
                f"a piece has at most {CHUNK_BYTES} bytes, not {len(data)}", dispatch="rejected"
            )
        if offset + len(data) > self.size:
            raise InputTooLarge(
                f"the file was announced with {self.size} bytes; this piece goes on to "
                f"{offset + len(data)}",
                dispatch="rejected",
            )
        with self._lock:
            rest = memoryview(data)
            while rest:
                rest = rest[os.pwrite(self._fd, rest, offset + len(data) - len(rest)) :]
            self.offset += len(data)

    def finish(self) -> Path:
        """Return the path of the whole file.

        Raises:
            RpcError: Something is missing; the upload goes on.
        """
        if self.offset != self.size:
            raise RefusedParams(
                f"{self.size - self.offset} of {self.size} bytes are missing; "
                f"go on at offset {self.offset}",
                dispatch="rejected",
            )
        place = self._folder / self.id
        place.mkdir(mode=0o700)
        path = place / self._name
        self._part.rename(path)
        self._close()
        return path

    def discard(self) -> None:
        """Remove what was written; harmless after the end."""
        self._close()
        self._part.unlink(missing_ok=True)

    def _close(self) -> None:
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1


class Uploads:
    """The storage of one session."""

    def __init__(self, folder: str) -> None:
        """`folder` is made when first needed; an empty name means that there is none."""
        self._folder = Path(folder) if folder else None
        self._swept = False

    def begin(self, name: str, size: int) -> Upload:
        """Open a file of a client's; its name is made harmless to whatever it is pasted into.

        Raises:
            RpcError: There is no storage.
        """
        try:
            return Upload(self._prepared(), safe_name(name), size)
        except OSError as error:
            raise _no_storage(error) from error

    def store_image(self, data: bytes) -> Path:
        """Keep an image and return its path.

        Raises:
            RpcError: There is no storage.
        """
        upload = self.begin("image.png", len(data))
        try:
            upload.write(0, data)
            return upload.finish()
        except OSError as error:
            raise _no_storage(error) from error
        finally:
            upload.discard()

    def remove(self, path: Path) -> None:
        """Remove a finished file that nobody was told of."""
        shutil.rmtree(path.parent, ignore_errors=True)

    def trim(self) -> None:
        """Remove the oldest finished files beyond `KEPT_FILES` and `KEPT_BYTES`."""
        if self._folder is None or not self._folder.is_dir():
            return
        places = sorted(
            (entry for entry in self._folder.iterdir() if entry.is_dir()),
            key=lambda entry: entry.stat().st_mtime_ns,
            reverse=True,
        )
        used = 0
        for number, place in enumerate(places):
            used += sum(file.stat().st_size for file in place.iterdir())
            if number >= KEPT_FILES or used > KEPT_BYTES:
                shutil.rmtree(place, ignore_errors=True)

    def _prepared(self) -> Path:
        if self._folder is None:
            raise Unavailable("this server keeps no files", dispatch="rejected")
        folder = self._folder
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
        if not folder.is_dir() or folder.is_symlink() or found.st_uid != os.geteuid():
            raise Unavailable(f"{folder} is no folder of this user; remove it", dispatch="rejected")
        if found.st_mode & 0o077:
            folder.chmod(0o700)
        if not self._swept:
            self._swept = True
            # An earlier server that was killed may have left some.
            for part in folder.glob("*" + _PART):
                part.unlink(missing_ok=True)
        return folder


def check_image(data: bytes) -> None:
    """Refuse what is no image that may be pasted.

    Raises:
        RpcError: It is no PNG, or too large.
    """
    if len(data) > IMAGE_BYTES:
        raise InputTooLarge(
            f"an image has at most {IMAGE_BYTES} bytes, not {len(data)}", dispatch="not_started"
        )
    if not data.startswith(_PNG):
        raise RefusedParams("`png_base64` is no PNG image")


def safe_name(name: str) -> str:
    """Return a file name in which no shell and no agent sees anything but a name."""
    plain = "".join(c if c.isalnum() or c in "._-" else "_" for c in name).lstrip(".-")
    return plain or "file"


def _no_storage(error: OSError) -> Unavailable:
    return Unavailable(f"the file could not be stored: {error.strerror}", dispatch="rejected")
