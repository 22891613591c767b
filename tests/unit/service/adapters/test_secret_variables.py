from __future__ import annotations

import ast
from pathlib import Path

import pytest

import luvus_service
from luvus_service.adapters.secret_variables import without_keys, without_provider_keys

PROVIDERS = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY_2", "openrouter_apikey", "LUXE_X_AUTH_TOKEN"]
OTHERS = ["MY_MODEL_API_KEY", "STRIPE_SECRET", "AWS_ACCESS_TOKEN", "API_KEY"]
PLAIN = ["PATH", "HOME", "GITHUB_TOKEN", "GH_TOKEN", "SSH_AUTH_SOCK", "GIT_AUTHOR_NAME", "KEYBOARD"]
ENVIRONMENT = dict.fromkeys((*PROVIDERS, *OTHERS, *PLAIN), "x")


def test_programs_of_the_user_get_no_key_of_a_model() -> None:
    assert list(without_provider_keys(ENVIRONMENT)) == [*OTHERS, *PLAIN]
    assert list(without_provider_keys(ENVIRONMENT, OTHERS)) == PLAIN


def test_programs_of_ours_get_no_key_of_anybody() -> None:
    assert list(without_keys(ENVIRONMENT)) == PLAIN


PACKAGE = Path(luvus_service.__file__).parent
STARTS = {
    "asyncio.create_subprocess_exec",
    "asyncio.create_subprocess_shell",
    "subprocess.Popen",
    "subprocess.run",
    "os.posix_spawn",
}
OWN = {"launch.py", "adapters/ptyhost/replace.py", "adapters/ptyhost/supervise.py"}
"""Hosts and servers, which are what needs the keys."""


def starts(path: Path) -> list[ast.Call]:
    """Return the calls in a file that start a program."""
    calls = (n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call))
    return [call for call in calls if ast.unparse(call.func) in STARTS]


@pytest.mark.parametrize(
    "name",
    sorted(
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if str(path.relative_to(PACKAGE)) not in OWN and starts(path)
    ),
)
def test_no_program_is_started_with_whatever_environment_there_is(name: str) -> None:
    for call in starts(PACKAGE / name):
        given = [ast.unparse(word.value) for word in call.keywords if word.arg == "env"]
        assert given != [], f"line {call.lineno} gives its program all that we have"
        assert "os.environ" not in given[0].replace("without_keys(os.environ)", ""), given
