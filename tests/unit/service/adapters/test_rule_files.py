from __future__ import annotations

from pathlib import Path

from luvus_service.adapters.rule_files import RuleFiles
from luvus_service.luxe.domain.permissions import Grant, Rule

DENY = '[[rule]]\naction = "deny"\ntool = "bash"\npattern = "git push *"\nnote = "ask me"\n'
ALLOW = '[[rule]]\naction = "allow"\ntool = "bash"\npattern = "make *"\n'


def files(folder: Path, warnings: list[str] | None = None) -> RuleFiles:
    said: list[str] = [] if warnings is None else warnings
    return RuleFiles(
        folder / "user.toml", folder / "project.toml", folder / "state/saved.toml", said.append
    )


def test_rules_are_read_with_their_source_and_again_when_a_file_changes(tmp_path: Path) -> None:
    book = files(tmp_path)
    assert book.rules() == ()

    (tmp_path / "project.toml").write_text(DENY)

    assert book.rules() == (Rule("deny", "bash", "git push *", "project", "ask me"),)
    (tmp_path / "project.toml").unlink()
    assert book.rules() == ()


def test_a_broken_file_keeps_its_denies_and_loses_its_allows(tmp_path: Path) -> None:
    warnings: list[str] = []
    (tmp_path / "user.toml").write_text(f"{ALLOW}\n{DENY}\n[[rule]\nbroken")

    found = files(tmp_path, warnings).rules()

    assert found == (Rule("deny", "bash", "git push *", "user", "ask me"),)
    assert len(warnings) == 1 and "user.toml" in warnings[0]


def test_saved_rules_are_outside_the_project_private_and_read_back(tmp_path: Path) -> None:
    odd = 'echo "a\\\\b" \t*'

    assert files(tmp_path).save([Grant("bash", odd), Grant("edit", "src/**")]) is None
    assert files(tmp_path).save([Grant("bash", odd)]) is None

    assert files(tmp_path).rules() == (
        Rule("allow", "bash", odd, "saved"),
        Rule("allow", "edit", "src/**", "saved"),
    )
    assert (tmp_path / "state/saved.toml").stat().st_mode & 0o777 == 0o600


def test_a_failure_to_save_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")

    fault = files(tmp_path).save([Grant("bash", "make *")])

    assert fault is not None and "for this session only" in fault


def test_a_project_can_make_the_mode_read_only_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "project.toml").write_text('mode = "yolo"\nallow_env = [".env"]\n')
    assert (files(tmp_path).mode(), files(tmp_path).env_allowed()) == (None, ())

    (tmp_path / "user.toml").write_text('mode = "accept_edits"\nallow_env = ["fix/.env"]\n')
    assert (files(tmp_path).mode(), files(tmp_path).env_allowed()) == (
        "accept_edits",
        ("fix/.env",),
    )

    (tmp_path / "project.toml").write_text('mode = "read_only"\n')
    assert files(tmp_path).mode() == "read_only"
