"""`luvus completion`: shell scripts that know every command, option and fixed value.

The words stand in the script itself, so completing starts no program.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from luvus_client.cli import builtin, show
from luvus_client.cli.commands import Commands, load
from luvus_client.cli.context import Context
from luvus_client.cli.usage import EXIT_OK, UsageError

# Only such words go into a script; anything else would have to be quoted for three shells.
_PLAIN = re.compile(r"[A-Za-z0-9@%_+.,:-]+")
_GLOBAL = ("--help", "--session", "--token-env", "--token-file", "--version")
_WITH_VALUE = ("--session", "--token-env", "--token-file")


def print_script(context: Context, words: list[str]) -> int:
    """Run `luvus completion SHELL`."""
    del context
    script = _SCRIPTS.get(words[0]) if len(words) == 1 else None
    if script is None:
        raise UsageError(f"usage: luvus completion {' | '.join(_SCRIPTS)}")
    show.write(script(choices(load())))
    return EXIT_OK


def choices(commands: Commands) -> dict[str, list[str]]:
    """Return what may follow a command, and what an option with fixed values may be given."""
    found: dict[str, set[str]] = {"": set(_GLOBAL)}
    every = [command.words for command in commands.below(())]
    every += [b.words for b in builtin.BUILTINS]
    for words in every:
        for count, word in enumerate(words):
            found.setdefault("/".join(words[:count]), set()).add(word)
        found.setdefault("/".join(words), set())
    for command in commands.below(()):
        here = "/".join(command.words)
        for argument in command.options:
            found[here].update(argument.words)
            for name in argument.names:
                if argument.choices:
                    found[f"{here} {name}"] = {str(choice) for choice in argument.choices}
        for argument in command.positionals[:1]:
            found[here].update(str(choice) for choice in argument.choices)
        found[here].add("--help")
    found["completion"].update(_SCRIPTS)
    return {
        key: sorted(word for word in words if _PLAIN.fullmatch(word))
        for key, words in sorted(found.items())
    }


def _posix_cases(found: dict[str, list[str]]) -> str:
    paths = [key for key in found if key and " " not in key]
    fixed = [f"'{key}') echo '{' '.join(words)}';;" for key, words in found.items() if " " in key]
    words = [
        f"'{key}') echo '{' '.join(words)}';;" for key, words in found.items() if " " not in key
    ]
    return f"""\
__luvus_known() {{
  case "$1" in
    {"|".join(f"'{path}'" for path in paths)}) return 0;;
  esac
  return 1
}}
__luvus_values() {{
  case "$1" in
    {chr(10).join(fixed).replace(chr(10), chr(10) + "    ")}
  esac
}}
__luvus_words() {{
  case "$1" in
    {chr(10).join(words).replace(chr(10), chr(10) + "    ")}
  esac
}}
__luvus_candidates() {{
  local previous="" path="" word skip=""
  for word in "$@"; do
    previous="$word"
    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$word" in
      {"|".join(_WITH_VALUE)}) skip=1;;
      -*) ;;
      *) if __luvus_known "${{path:+$path/}}$word"; then path="${{path:+$path/}}$word"; fi;;
    esac
  done
  if [ -n "$skip" ]; then return; fi
  local values
  values="$(__luvus_values "$path $previous")"
  if [ -n "$values" ]; then echo "$values"; else __luvus_words "$path"; fi
}}
"""


def _bash(found: dict[str, list[str]]) -> str:
    return f"""\
# bash completion for luvus; load it with: source <(luvus completion bash)
{_posix_cases(found)}\
_luvus() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}"
  local before=("${{COMP_WORDS[@]:1:COMP_CWORD-1}}")
  COMPREPLY=($(compgen -W "$(__luvus_candidates "${{before[@]}}")" -- "$current"))
}}
complete -o default -F _luvus luvus
"""


def _zsh(found: dict[str, list[str]]) -> str:
    return f"""\
#compdef luvus
# zsh completion for luvus; load it with: source <(luvus completion zsh)
{_posix_cases(found)}\
_luvus() {{
  local -a candidates
  candidates=(${{=$(__luvus_candidates "${{(@)words[2,CURRENT-1]}}")}})
  if (( $#candidates )); then compadd -- $candidates; else _files; fi
}}
compdef _luvus luvus
"""


def _fish(found: dict[str, list[str]]) -> str:
    def lines(keys: list[str]) -> str:
        return "\n".join(f"    case '{k}'\n      printf '%s\\n' {' '.join(found[k])}" for k in keys)

    fixed = [key for key in found if " " in key and found[key]]
    plain = [key for key in found if " " not in key and found[key]]
    paths = " ".join(f"'{key}'" for key in found if key and " " not in key)
    return f"""\
# fish completion for luvus; load it with: luvus completion fish | source
function __luvus_values
  switch $argv[1]
{lines(fixed)}
  end
end
function __luvus_words
  switch $argv[1]
{lines(plain)}
  end
end
function __luvus_candidates
  set -l previous ''
  set -l path ''
  set -l skip ''
  for word in (commandline -opc)[2..-1]
    set previous $word
    if test -n "$skip"
      set skip ''
      continue
    end
    switch $word
      case {" ".join(_WITH_VALUE)}
        set skip 1
      case '-*'
      case '*'
        set -l next (string trim -l -c / -- "$path/$word")
        if contains -- $next {paths}
          set path $next
        end
    end
  end
  test -n "$skip"; and return
  set -l values (__luvus_values "$path $previous")
  if test -n "$values"
    printf '%s\\n' $values
  else
    __luvus_words "$path"
  end
end
complete -c luvus -f -a '(__luvus_candidates)'
"""


_SCRIPTS: dict[str, Callable[[dict[str, list[str]]], str]] = {
    "bash": _bash,
    "fish": _fish,
    "zsh": _zsh,
}
