"""A small protocol as the code generator writes it, for tests of the command line."""

from __future__ import annotations

from typing import Any


def argument(field: str, kind: str, names: list[str] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "field": field,
        "kind": kind,
        "names": names or [],
        "metavar": None,
        "env": None,
        "required": False,
        "repeat": False,
        "type": "string",
        "choices": None,
        "values": None,
        "help": "",
        "default": None,
        **more,
    }


def method(words: list[str] | None, *arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    command = None if words is None else {"words": words, "arguments": list(arguments)}
    return {
        "summary": "Do it.",
        "description": "",
        "stream": False,
        "examples": [],
        "command": command,
        **more,
    }


PANE = argument("pane", "positional", env="LUVUS_PANE_ID", metavar="PANE", help="The pane.")
NEEDED_PANE = {**PANE, "required": True}
REVISION = argument("if_revision", "option", ["--if-revision"], type="integer", metavar="N")

PROTOCOL: dict[str, Any] = {
    "methods": {
        "agent.keys": method(
            ["agent", "keys"],
            argument("target", "positional", required=True, metavar="TARGET"),
            argument("keys", "rest", required=True, repeat=True, metavar="KEY"),
        ),
        "agent.wait": method(["agent", "wait"], NEEDED_PANE),
        "workspace.rename": method(
            ["workspace", "rename"],
            argument("workspace", "positional", metavar="WORKSPACE"),
            argument("name", "rest", required=True, metavar="NAME"),
            argument("workspace_id", "option", ["--workspace-id"]),
        ),
        "bar.push": method(
            ["bar", "push"],
            argument("content", "option", ["--content"], type="json", metavar="JSON"),
            argument("priority", "option", ["--priority"], type="number", metavar="X"),
            argument("visible", "option", ["--visible"], type="boolean", metavar="BOOL"),
        ),
        "events.subscribe": method(None, stream=True),
        "host.info": method(None),
        "pane.list": method(["pane", "list"], summary="List the panes."),
        "pane.name": method(
            ["pane", "name"],
            argument("name", "positional", required=True, metavar="NAME", values=[["--clear", ""]]),
            argument("pane", "option", ["--pane"], env="LUVUS_PANE_ID", metavar="PANE"),
        ),
        "pane.run": method(
            ["pane", "run"],
            PANE,
            argument("command", "rest", required=True, metavar="CMD"),
            REVISION,
        ),
        "pane.send": method(
            ["pane", "send"], PANE, argument("text", "positional", required=True, metavar="TEXT")
        ),
        "pane.split": method(
            ["pane", "split"],
            PANE,
            argument(
                "direction",
                "value_flags",
                ["--direction"],
                values=[["--down", "down"]],
                choices=["right", "down"],
                metavar="DIRECTION",
                default="right",
                help="Where the new half goes.",
            ),
            argument("focus", "negative", ["--no-focus"], type="boolean", default=True),
            argument("zoom", "flag", ["--zoom"], type="boolean", default=False),
            REVISION,
            summary="Split a pane and start a shell in the new half.",
            examples=[{"params": {"pane": "7", "direction": "down", "focus": False}, "result": {}}],
        ),
        "ping": method(None),
        "server.reload_config": method(["server", "reload-config"]),
        "workspace.open": method(
            ["workspace", "open"],
            argument("path", "positional", type="path", required=True, metavar="PATH"),
        ),
        "task.add": method(
            ["task", "add"],
            argument("title", "positional", required=True, metavar="TITLE"),
            argument("paths", "option", ["--paths"], repeat=True, metavar="PATHS"),
            argument("gate", "option", ["--gate"], metavar="CMD"),
            argument("tries", "option", ["--tries"], type="integer", metavar="N"),
        ),
        "wait.output": method(
            ["wait", "output"],
            NEEDED_PANE,
            argument("match", "option", ["--match"], required=True, metavar="TEXT"),
            argument("timeout_s", "option", ["--timeout"], type="number", metavar="S"),
        ),
    }
}
