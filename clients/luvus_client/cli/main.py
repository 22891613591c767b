"""The entry of `luvus`: finds the command, runs it, and turns failures into exit codes."""

from __future__ import annotations

import os
import sys

from luvus_client.cli import builtin, show
from luvus_client.cli.context import Context, leading_options
from luvus_client.cli.usage import EXIT_OK, EXIT_USAGE, HelpWanted, UsageError
from luvus_client.errors import ClientError, InvalidSessionName

EXIT_INTERRUPTED = 130
EXIT_PIPE = 141
_HELP = ("-h", "--help")
_VERSION = ("-V", "--version")
_ALSO_GROUPS = (("server",), ("web",))
"""Commands that are the first word of others as well."""


def main(argv: list[str] | None = None) -> int:
    """Run the words of a command line and return the exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        return _run(words)
    except (UsageError, InvalidSessionName) as error:
        sys.stderr.write(f"luvus: {error}\n")
        return EXIT_USAGE
    except ClientError as error:
        return show.failure(error)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader went away; the interpreter must not complain while it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE


def _run(argv: list[str]) -> int:
    context, words = leading_options(argv)
    if not words or words[0] in _HELP:
        return _help(context, [])
    if words[0] in _VERSION:
        return _version()
    if words[0].startswith("-"):
        raise UsageError(f"there is no option {words[0]}; see luvus --help")
    found = builtin.find(words)
    if found is not None and not _may_be_longer(*found):
        command, rest = found
        if rest[:1] and rest[0] in _HELP:
            return _help(context, list(command.words))
        return command.run(context, rest)
    return _declared(context, words)


def _may_be_longer(command: builtin.Builtin, rest: list[str]) -> bool:
    return command.words in _ALSO_GROUPS and bool(rest) and not rest[0].startswith("-")


def _declared(context: Context, words: list[str]) -> int:
    from luvus_client.cli.commands import load
    from luvus_client.cli.run import run

    commands = load()
    found = commands.find(words)
    if found is None:
        return _group(context, words)
    command, rest = found
    try:
        return run(context, command, rest)
    except HelpWanted:
        return _help(context, list(command.words))
    except UsageError as error:
        from luvus_client.cli.help import usage

        raise UsageError(f"{error}\nusage: {usage(command)}") from error


def _group(context: Context, words: list[str]) -> int:
    if words[-1] in _HELP:
        words = words[:-1]
    from luvus_client.cli.help import refuse_unknown

    refuse_unknown(words)
    return _help(context, words)


def _help(context: Context, words: list[str]) -> int:
    from luvus_client.cli.help import show_help

    return show_help(context, words)


def _version() -> int:
    from luvus_client.version import version

    show.write(f"luvus {version()}\n")
    return EXIT_OK


if __name__ == "__main__":
    sys.exit(main())
