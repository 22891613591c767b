"""The configuration as one typed value: every key with its type, range and default."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from luvus_service.rpc.spelling import Spelled
from luvus_service.rpc.validation import WHOLE_SENTENCE
from luvus_service.uhp.domain.config import (
    SCROLLBACK_DEFAULT,
    SCROLLBACK_MAX,
    SCROLLBACK_MIN,
    Document,
    migrated,
    without,
)
from luvus_service.uhp.domain.config_keys import bindings_fault, direct_fault, prefix_fault

DEFAULT_THEME = "quattro-rally"
FAULTS = 256
"""Values of a file that are put back to their defaults before all of it is."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Names = Annotated[list[Name], Field(max_length=64)]
Command = Annotated[
    str,
    Spelled(
        "^[a-z][a-z0-9_.:/-]{0,127}$",
        "must begin with a to z and go on with at most 127 of a to z, 0 to 9 and `_.:/-`",
    ),
]
Chord = Annotated[str, StringConstraints(max_length=32)]
Bindings = Annotated[dict[Command, Chord], Field(max_length=256)]
Price = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
Width = Annotated[int, Field(ge=18, le=44)]
Weight = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]
Docks = Annotated[list[Name], Field(max_length=3)]
Gap = Annotated[int, Field(ge=0, le=8)]


class ConfigPart(BaseModel):
    """A part of the configuration."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ConfigLeftSidebar(ConfigPart):
    """The sidebar at the left."""

    visible: bool = True
    width: Width = 26
    docks: Docks = ["workspaces", "agents"]
    dock_weights: Annotated[list[Weight], Field(max_length=3)] = []


class ConfigRightSidebar(ConfigPart):
    """The sidebar at the right."""

    visible: bool = False
    width: Width = 26
    docks: Docks = []
    dock_weights: Annotated[list[Weight], Field(max_length=3)] = []


class ConfigSidebars(ConfigPart):
    """Both sidebars."""

    left: ConfigLeftSidebar = ConfigLeftSidebar()
    right: ConfigRightSidebar = ConfigRightSidebar()
    files_side: Literal["left", "right"] | None = None


class ConfigLayout(ConfigPart):
    """How panes and their surroundings look and behave."""

    col_gap: Gap = Field(default=1, description="Free columns between panes.")
    row_gap: Gap = Field(default=0, description="Free rows between panes.")
    show_titles: bool = True
    pane_title_path: bool = False
    agent_title: bool = False
    workspace_paths: bool = True
    agent_paths: bool = True
    resume_in_new_workspace: bool = True
    new_pane_to_workspace_root: bool = Field(
        default=False,
        description="Whether new panes start in the workspace's folder, not where one is.",
    )
    file_open: Annotated[str, StringConstraints(min_length=1, max_length=1024)] = "readonly"
    file_click: Literal["preview", "tab"] = "preview"
    scrollback_bytes: int = Field(
        default=SCROLLBACK_DEFAULT,
        ge=SCROLLBACK_MIN,
        le=SCROLLBACK_MAX,
        description="Memory for the scrollback of each pane.",
    )
    files_show_hidden: bool = True
    diff_layout: Literal["auto", "split", "stack"] = "auto"
    diff_wrap: bool = False
    diff_context_lines: Annotated[int, Field(ge=0, le=20)] = 3
    diff_show_line_numbers: bool = True
    diff_marker_style: Literal["symbols", "bars", "both"] = "symbols"
    diff_color_mode: Literal["theme", "standard"] = "theme"
    diff_live_refresh: bool = True
    mobile_width: Annotated[int, Field(ge=0, le=1000)] = 64
    shift_enter: Literal["esc-cr", "lf", "esc-lf", "csi-u"] = "esc-cr"


class ConfigNotifications(ConfigPart):
    """Which sounds are played when."""

    sound_style: Literal["retro", "soft", "pulse"] = "retro"
    sound_on_done: bool = False
    sound_on_blocked: bool = False


class ConfigBars(ConfigPart):
    """What stands in the bars."""

    top_right: Names = []
    bottom_right: Names = ["core:runtime-status"]
    off: Names = []


class ConfigWorktree(ConfigPart):
    """Who makes worktrees."""

    provider: Name = Field(default="git", description="`git`, or the id of a module.")


class Config(ConfigPart):
    """The whole configuration, shared by all sessions of a home."""

    version: Literal[2] = 2
    theme: Name = DEFAULT_THEME
    language: Annotated[
        str,
        Spelled(
            "^[A-Za-z]{2,8}([-_][A-Za-z0-9]{2,8})*$", "must be a language, such as `en` or `pt-BR`"
        ),
    ] = "en"
    shell: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = Field(
        default="default", description="`default`, or the shell of new panes with its arguments."
    )
    sidebar_width: Width = 26
    sidebars: ConfigSidebars | None = None
    layout: ConfigLayout = ConfigLayout()
    notifications: ConfigNotifications = ConfigNotifications()
    check_updates: bool = True
    resume_launch_flags: bool = False
    agents_active_only: bool = False
    agents_this_workspace: bool = False
    keybindings: Bindings = Field(default={}, description="Keys after the prefix, by command.")
    direct_keybindings: Bindings = Field(
        default={}, description="Chords without the prefix, by command."
    )
    prefix: Chord = Field(
        default="ctrl+space", description="F1 to F12, or a chord with ctrl or alt."
    )
    mission_pricing: Annotated[
        dict[Name, Annotated[list[Price], Field(min_length=3, max_length=3)]],
        Field(max_length=256),
    ] = Field(
        default={}, description="USD per million tokens in, out and from the cache, by model."
    )
    mission_budget: Price | None = Field(default=None, description="In USD.")
    docks_off: Names = []
    bars: ConfigBars = ConfigBars()
    worktree: ConfigWorktree = ConfigWorktree()

    @model_validator(mode="after")
    def _keys(self) -> Self:
        checks = {
            "prefix": prefix_fault(self.prefix),
            "keybindings": bindings_fault(self.keybindings),
            "direct_keybindings": direct_fault(self.direct_keybindings, self.prefix),
        }
        for name, fault in checks.items():
            if fault is not None:
                text = f"`{name}` {fault}"
                raise PydanticCustomError(WHOLE_SENTENCE, "{text}", {"text": text, "field": name})
        return self

    def document(self) -> Document:
        """Return it as JSON-able values, every key present."""
        return self.model_dump(mode="json")


def read_leniently(stored: Document) -> tuple[Config, list[str]]:
    """Return the configuration of a stored document, and the paths of values that were no good.

    Unknown keys are passed over, missing ones get their defaults, and so do broken values.
    """
    document = migrated(stored)
    broken: list[str] = []
    for _ in range(FAULTS):
        try:
            return Config.model_validate(document), broken
        except ValidationError as error:
            for fault in error.errors(include_url=False):
                path = fault["loc"] or (fault.get("ctx", {}).get("field", ""),)
                if fault["type"] != "extra_forbidden":
                    broken.append(".".join(str(step) for step in path))
                document = without(document, path)
    return Config(), [*broken, "everything"]


def read_strictly(document: dict[str, Any]) -> Config:
    """Return the configuration of a complete document.

    Raises:
        ValidationError: A value is not allowed.
    """
    return Config.model_validate(document)
