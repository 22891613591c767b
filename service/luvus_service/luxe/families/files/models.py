"""What the actions about project files carry."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from luvus_service.luxe.domain.limits import REQUEST_ID_CHARS
from luvus_service.rpc.models import LenientParams

RequestId = Annotated[
    str, Field(min_length=1, max_length=REQUEST_ID_CHARS, description="Comes back in the answer.")
]
ProjectPath = Annotated[
    str, Field(max_length=4096, description="Relative to the root, or absolute inside the project.")
]


class ListDirectory(LenientParams):
    """A folder to list."""

    request_id: RequestId
    path: ProjectPath
    include_ignored: Annotated[
        bool, Field(description="Also what `.gitignore` ignores, marked so.")
    ] = False


class ReadProjectFile(LenientParams):
    """A file to read."""

    request_id: RequestId
    path: ProjectPath


class LoadFileDiff(LenientParams):
    """A file whose change is wanted."""

    request_id: RequestId
    path: ProjectPath
