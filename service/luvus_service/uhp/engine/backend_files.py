"""Images and files that one control stream sends: stored off the loop, then pasted as a path.

Owns the stream's only unfinished upload and removes it when the stream ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import TypeVar

from luvus_service.rpc.errors import LimitExceeded, RpcError, Unavailable
from luvus_service.uhp.domain.locators import Locator
from luvus_service.uhp.engine.backend import Backend
from luvus_service.uhp.engine.errors import RefusedParams
from luvus_service.uhp.engine.uploads import Upload, check_image

T = TypeVar("T")


class Files:
    """What a control stream of one terminal sends as files."""

    def __init__(self, backend: Backend, locator: Locator, executor: Executor) -> None:
        self._backend = backend
        self._uploads = backend.uploads
        self._locator = locator
        self._executor = executor
        self._upload: Upload | None = None

    async def paste_image(self, data: bytes) -> None:
        """Store a PNG image and paste its path.

        Raises:
            RpcError: It is no such image, cannot be stored, or the path was not accepted.
        """
        check_image(data)
        self._backend.find(self._locator)
        await self._paste(await self._run(lambda: self._uploads.store_image(data)))

    async def start(self, name: str, size: int) -> Upload:
        """Begin a file.

        Raises:
            RpcError: One is unfinished already, or there is no storage.
        """
        self._backend.find(self._locator)
        if self._upload is not None:
            raise LimitExceeded(
                f"upload {self._upload.id} is unfinished; finish or cancel it first",
                dispatch="rejected",
            )
        # On the loop: a file that is opened when the stream is gone would have no owner.
        self._upload = self._uploads.begin(name, size)
        return self._upload

    async def add(self, upload_id: str, offset: int, data: bytes) -> Upload:
        """Add a piece to the file; raises when it does not continue it."""
        upload = self._named(upload_id)
        await self._run(lambda: upload.write(offset, data))
        return upload

    async def finish(self, upload_id: str) -> None:
        """Paste the path of the finished file; one that cannot be pasted is removed."""
        upload = self._named(upload_id)
        self._backend.find(self._locator)
        path = await self._run(upload.finish)
        self._upload = None
        await self._paste(path)

    def cancel(self, upload_id: str) -> None:
        """Remove the unfinished file."""
        self._named(upload_id)
        self.close()

    def close(self) -> None:
        """Remove what is unfinished."""
        if self._upload is not None:
            self._upload.discard()
            self._upload = None

    def _named(self, upload_id: str) -> Upload:
        if self._upload is None or self._upload.id != upload_id:
            raise RefusedParams(
                f"`upload_id` {upload_id} is no unfinished upload of this stream",
                dispatch="rejected",
            )
        return self._upload

    async def _paste(self, path: Path) -> None:
        try:
            await self._backend.paste(self._locator, str(path))
        except RpcError:
            self._uploads.remove(path)
            raise
        await self._run(self._uploads.trim)

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        except OSError as error:
            raise Unavailable(
                f"the file could not be stored: {error.strerror}", dispatch="rejected"
            ) from error
