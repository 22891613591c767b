"""Homes, names, addresses and the environments of panes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.settings import (
    Settings,
    SettingsError,
    check_session_name,
    fnv1a_64,
    owned_folder,
    server_environment,
    socket_address,
)


def settings(home: Path, session: str | None = None, **env: str) -> Settings:
    return Settings.from_mapping({"HOME": "/home/me", "LUVUS_HOME": str(home), **env}, session)


def test_the_unnamed_session_lives_in_the_home_and_others_below_it() -> None:
    unnamed = settings(Path("/h"))
    named = settings(Path("/h"), "work")

    assert (unnamed.session_dir, unnamed.is_default) == (Path("/h"), True)
    assert named.session_dir == Path("/h/sessions/work")
    assert named.socket_path == Path("/h/sessions/work/luvus.sock")
    assert [path.name for path in (named.http_path, named.host_path, named.lock_path)] == [
        "http.sock",
        "host.sock",
        "server.lock",
    ]


def test_the_command_line_wins_over_the_environment() -> None:
    assert settings(Path("/h"), None, LUVUS_SESSION="env").session == "env"
    assert settings(Path("/h"), "default", LUVUS_SESSION="env").session == "default"
    assert Settings.from_mapping({"HOME": "/home/me"}).home == Path("/home/me/.luvus")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\n", "ü", "x" * 65, "a b", "\0"])
def test_a_name_that_is_no_session_name_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="no session name"):
        check_session_name(name)


@pytest.mark.parametrize("name", ["a", "...", "default", "A-b_c.9", "x" * 64])
def test_a_session_name_is_accepted(name: str) -> None:
    check_session_name(name)


def test_the_hash_is_the_published_one() -> None:
    # Test vectors of the hash's authors.
    assert fnv1a_64(b"") == 0xCBF29CE484222325
    assert fnv1a_64(b"a") == 0xAF63DC4C8601EC8C
    assert fnv1a_64(b"foobar") == 0x85944171F73967E8


def test_a_path_of_99_bytes_is_bound_itself_and_one_of_100_by_its_alias() -> None:
    short, long = Path("/" + "x" * 98), Path("/" + "x" * 99)
    digest = f"{fnv1a_64(os.fsencode(long)):016x}"

    assert socket_address(short, "api") == str(short)
    assert socket_address(long, "api") == f"/tmp/luvus-{os.getuid()}/{digest}-api.sock"
    assert socket_address(long, "host").endswith(f"{digest}-host.sock")


@given(st.text(alphabet="aé/", min_size=1, max_size=200))
def test_every_address_fits_into_a_socket_name(text: str) -> None:
    assert len(os.fsencode(socket_address(Path("/" + text), "http"))) <= 103


def test_folders_are_made_owner_only_under_any_umask(tmp_path: Path) -> None:
    made = settings(tmp_path / "a" / "home", "work")
    before = os.umask(0o777 & ~0o700)
    try:
        made.prepare_home()
    finally:
        os.umask(before)

    modes = [stat.S_IMODE(folder.stat().st_mode) for folder in (made.home, made.session_dir)]
    assert modes == [0o700, 0o700]
    made.prepare_home()


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_home_that_others_may_write_to_is_refused_and_left_alone(
    tmp_path: Path, mode: int
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(mode)

    with pytest.raises(SettingsError, match=f"Others may write .* \\(mode 0{mode:o}\\)"):
        settings(home).prepare_home()

    assert stat.S_IMODE(home.stat().st_mode) == mode


@pytest.mark.parametrize("session", [None, "work"])
def test_a_home_that_others_may_look_into_is_refused_for_every_session(
    tmp_path: Path, session: str | None
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)

    with pytest.raises(SettingsError, match=r"Others may look into .* \(mode 0755\); run `chmod"):
        settings(home, session).prepare_home()


def test_a_home_through_our_own_link_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "home").symlink_to(tmp_path / "real")

    settings(tmp_path / "home").prepare_home()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a folder of somebody else")
def test_a_home_of_somebody_else_is_refused_also_behind_a_link(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, 12345, 12345)
    (tmp_path / "link").symlink_to(theirs)

    for home in (theirs, tmp_path / "link"):
        with pytest.raises(SettingsError, match="belongs to user 12345"):
            settings(home).prepare_home()


def test_a_file_or_a_link_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)

    with pytest.raises(SettingsError, match="is not a folder"):
        owned_folder(tmp_path / "file")
    with pytest.raises(SettingsError, match="a link that this user did not make"):
        owned_folder(tmp_path / "link", links=False)


def test_a_pane_gets_our_variables_and_none_of_an_outer_session() -> None:
    made = settings(
        Path("/h"),
        "work",
        PATH="/usr/bin:/opt/luvus:/bin",
        TMUX="/tmp/tmux",
        STY="1.pts",
        LUVUS_PANE_ID="9",
        LUVUS_TOKEN="secret",
        LUVUS_HOST_FD="7",
        EDITOR="vi",
    )

    env = made.pane_environment("3", luvus="/opt/luvus/luvus", extra={"LUVUS_TASK_ID": "t1"})

    assert env == {
        "HOME": "/home/me",
        "EDITOR": "vi",
        "PATH": "/opt/luvus:/usr/bin:/bin",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LUVUS_ENV": "1",
        "LUVUS_PANE_ID": "3",
        "LUVUS_SOCKET_PATH": "/h/sessions/work/luvus.sock",
        "LUVUS_API_ADDRESS": "/h/sessions/work/luvus.sock",
        "LUVUS_BIN_PATH": "/opt/luvus/luvus",
        "LUVUS_HOME": "/h",
        "LUVUS_SESSION": "work",
        "LUVUS_TASK_ID": "t1",
    }


def test_the_unnamed_session_of_the_usual_home_names_neither() -> None:
    made = Settings.from_mapping({"HOME": "/home/me"})

    env = made.pane_environment("1", luvus="/opt/luvus")

    assert {"LUVUS_HOME", "LUVUS_SESSION"} & set(env) == set()


def test_the_shell_is_the_first_that_can_be_run() -> None:
    wanted = settings(Path("/h"), LUVUS_SHELL="/bin/sh", SHELL="/bin/bash")
    broken = settings(Path("/h"), LUVUS_SHELL="/no/such", SHELL="/bin/bash")

    assert (wanted.default_shell(), broken.default_shell()) == ("/bin/sh", "/bin/bash")


def test_the_descriptors_of_a_host_are_read_back() -> None:
    made = Settings.from_mapping(server_environment(5, 6))

    assert (made.host_fd, made.lock_fd) == (5, 6)
    assert Settings.from_mapping({"HOME": "/", "LUVUS_HOST_FD": "x"}).host_fd is None
