"""What a client asks for when it opens a session, checked and turned into a wish."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from luvus_service.luxe.domain.values import ThinkingLevel
from luvus_service.luxe_wiring.wish import Wish
from luvus_service.rpc.refusals import Refused, content_refusal


class SessionWish(BaseModel):
    """What a client asks for when it opens a session."""

    model_config = ConfigDict(strict=True, extra="ignore")

    cwd: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="The project folder, absolute; a resumed session has its own.",
    )
    model: str | None = Field(None, min_length=1, max_length=256, description="provider/model.")
    thinking: ThinkingLevel | None = None
    mode: Literal["build", "plan"] | None = Field(None, description="Build, if nothing is resumed.")
    permission_mode: Literal["ask", "accept_edits", "read_only", "yolo"] | None = None
    read_only: bool = False
    auto_approve: bool = False
    github_writes: bool = False
    trust_project: bool = False
    no_session: bool = Field(False, description="Keep the session in memory only.")
    add_dirs: list[str] = Field(default_factory=list[str], max_length=16)
    resume: str | None = Field(None, min_length=8, max_length=64)
    continue_last: bool = Field(False, description="Resume the newest session of the folder.")
    worktree: str | None = Field(
        None, max_length=64, description="A linked worktree of this name; empty for a new name."
    )


def checked(content: Any) -> SessionWish:
    """Check what a client sent.

    Raises:
        Refused: It does not fit.
    """
    try:
        return SessionWish.model_validate(content)
    except ValidationError as error:
        raise content_refusal(error) from None


def wish_of(asked: SessionWish) -> Wish:
    """Return the wish; looks at the disk.

    Raises:
        Refused: It contradicts itself, or names a folder that is not there.
    """
    if asked.cwd is None and asked.resume is None:
        raise Refused("missing_field", "missing field `cwd`")
    # The folder of a resumed session is in its file.
    cwd = asked.cwd if asked.cwd is not None else "/"
    folders = [Path(cwd), *map(Path, asked.add_dirs)]
    for folder in folders:
        if not folder.is_absolute():
            raise Refused("invalid_field", f"{str(folder)[:200]!r} is no absolute folder")
        if not folder.is_dir():
            raise Refused("not_found", f"the folder {folder} does not exist")
    if asked.resume is not None and (asked.continue_last or asked.worktree is not None):
        raise Refused("invalid_field", "field `resume` excludes continue_last and worktree")
    return Wish(
        cwd=os.path.realpath(cwd),
        model=asked.model,
        thinking=asked.thinking,
        mode=asked.mode,
        permission_mode=asked.permission_mode,
        read_only=asked.read_only,
        auto_approve=asked.auto_approve,
        github_writes=asked.github_writes,
        trust_project=asked.trust_project,
        add_dirs=tuple(os.path.realpath(folder) for folder in asked.add_dirs),
        no_session=asked.no_session,
        resume=asked.resume,
        resume_last=asked.continue_last,
    )
