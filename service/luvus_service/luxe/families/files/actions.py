"""Project files outside any review: each request is answered exactly once."""

from __future__ import annotations

from luvus_service.luxe.domain.project_events import (
    DirectoryListed,
    DirectoryListFailed,
    FileDiffFailed,
    FileDiffLoaded,
    ProjectFileRead,
    ProjectFileReadFailed,
)
from luvus_service.luxe.domain.project_ports import FileRefused, Project
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.families.files.models import ListDirectory, LoadFileDiff, ReadProjectFile
from luvus_service.rpc.frames import action, group

EVENTS = (
    DirectoryListed,
    DirectoryListFailed,
    ProjectFileRead,
    ProjectFileReadFailed,
    FileDiffLoaded,
    FileDiffFailed,
)


@group("files", events=EVENTS)
class FileActions:
    """List folders, read files and their changes."""

    def __init__(self, session: Session, project: Project) -> None:
        self._session = session
        self._project = project

    @action("list_directory")
    async def list_directory(self, content: ListDirectory) -> None:
        """List one project folder."""
        asked, path = content.request_id, content.path
        try:
            answer: object = await self._project.listed(
                asked, path, include_ignored=content.include_ignored
            )
        except FileRefused as fault:
            answer = DirectoryListFailed(asked, path, str(fault), fault.code)
        self._session.emit(answer)

    @action("read_project_file")
    async def read_project_file(self, content: ReadProjectFile) -> None:
        """Read one project file as text, up to 2 MB."""
        asked, path = content.request_id, content.path
        try:
            answer: object = await self._project.read(asked, path)
        except FileRefused as fault:
            answer = ProjectFileReadFailed(asked, path, str(fault), fault.code, fault.size)
        self._session.emit(answer)

    @action("load_file_diff")
    async def load_file_diff(self, content: LoadFileDiff) -> None:
        """Show one file's change against HEAD."""
        asked, path = content.request_id, content.path
        try:
            answer: object = await self._project.diff(asked, path)
        except FileRefused as fault:
            answer = FileDiffFailed(asked, path, str(fault), fault.code)
        self._session.emit(answer)
