from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from luvus_client.endpoint import (
    Endpoint,
    check_session_name,
    discover,
    session_socket,
    validate,
)
from luvus_client.errors import InvalidSessionName, NotRunning, UnsafeEndpoint

ROOT = "/private/tmp" if sys.platform == "darwin" else "/tmp"


@pytest.fixture
def folder() -> Iterator[Path]:
    found = Path(tempfile.mkdtemp(prefix="le-", dir=ROOT))
    yield found
    shutil.rmtree(found)


@pytest.fixture
def path(folder: Path) -> Iterator[Path]:
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(folder / "luvus.sock"))
    (folder / "luvus.sock").chmod(0o600)
    yield folder / "luvus.sock"
    sock.close()


def test_the_default_session_lives_in_the_home(folder: Path) -> None:
    found = discover(environ={"LUVUS_HOME": str(folder)})

    address = f"{folder}/luvus.sock"
    assert found == Endpoint("default", address, address)
    assert (found.session_dir, found.http_address) == (str(folder), f"{folder}/http.sock")


def test_without_a_luvus_home_the_home_is_in_the_users_folder() -> None:
    assert discover(environ={"HOME": "/u"}).socket_path == "/u/.luvus/luvus.sock"
    assert discover(environ={}).socket_path.endswith("/.luvus/luvus.sock")


def test_outside_a_pane_the_variable_names_the_session() -> None:
    found = discover(environ={"LUVUS_HOME": "/h/../h", "LUVUS_SESSION": "review"})

    assert found.socket_path == "/h/sessions/review/luvus.sock"


def test_a_named_session_has_its_own_folder(folder: Path) -> None:
    found = discover("review", environ={"LUVUS_HOME": str(folder)})

    assert found.socket_path == f"{folder}/sessions/review/luvus.sock"


def test_inside_a_pane_its_own_server_wins() -> None:
    pane = {"LUVUS_HOME": "/h", "LUVUS_SOCKET_PATH": "/p/luvus.sock", "LUVUS_SESSION": "review"}

    assert discover(environ=pane) == Endpoint("review", "/p/luvus.sock", "/p/luvus.sock")


def test_a_selected_session_wins_over_the_pane() -> None:
    pane = {"LUVUS_HOME": "/h", "LUVUS_SOCKET_PATH": "/p/luvus.sock", "LUVUS_SESSION": "review"}

    assert discover("default", environ=pane).socket_path == "/h/luvus.sock"


def test_a_native_address_alone_is_used() -> None:
    assert discover(environ={"LUVUS_API_ADDRESS": "/p/x.sock"}).address == "/p/x.sock"


def test_an_explicit_path_wins_over_everything() -> None:
    assert discover("a", "/e/luvus.sock", {"LUVUS_SOCKET_PATH": "/p"}).address == "/e/luvus.sock"


def test_a_relative_inherited_path_is_refused() -> None:
    with pytest.raises(UnsafeEndpoint, match="not absolute"):
        discover(environ={"LUVUS_SOCKET_PATH": "luvus.sock"})


@pytest.mark.parametrize("length", [99, 100, 150])
def test_a_path_of_a_hundred_bytes_is_reached_through_its_alias(length: int) -> None:
    home = "/" + "h" * (length - len("/" + "/luvus.sock"))

    found = discover(environ={"LUVUS_HOME": home})

    assert len(found.socket_path) == length
    if length < 100:
        assert found.address == found.socket_path
    else:
        folder, name = os.path.split(found.address)
        assert folder == f"{ROOT}/luvus-{os.geteuid()}"
        assert len(name) == len("0123456789abcdef-api.sock") and name.endswith("-api.sock")


def test_the_http_socket_has_the_alias_of_its_own_path() -> None:
    """At 100 bytes the shorter path of the HTTP socket needs none."""
    short = discover(environ={"LUVUS_HOME": "/" + "h" * 88})
    long = discover(environ={"LUVUS_HOME": "/" + "h" * 89})

    assert (len(short.socket_path), short.http_address) == (100, "/" + "h" * 88 + "/http.sock")
    assert long.http_address == alias_of("/" + "h" * 89 + "/http.sock", "http")


def alias_of(path: str, kind: str) -> str:
    value = 0xCBF29CE484222325
    for byte in path.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return f"{ROOT}/luvus-{os.geteuid()}/{value:016x}-{kind}.sock"


def test_the_alias_is_the_fnv_1a_hash_of_the_logical_path() -> None:
    home = "/" + "h" * 100

    assert discover(environ={"LUVUS_HOME": home}).address == alias_of(f"{home}/luvus.sock", "api")


def test_a_link_to_the_home_is_followed(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "link").symlink_to("real")

    found = discover(environ={"LUVUS_HOME": str(folder / "link")})

    assert found.socket_path == f"{folder}/link/luvus.sock"
    assert found.address == f"{folder}/real/luvus.sock"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a b", "a\n", "x" * 65, "é"])
def test_an_impossible_session_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidSessionName):
        check_session_name(name)


def test_every_allowed_character_makes_a_name() -> None:
    assert check_session_name("aZ09._-") == "aZ09._-"
    assert session_socket("/h", "a.b") == "/h/sessions/a.b/luvus.sock"


def test_a_private_socket_is_accepted_and_identified(path: Path) -> None:
    status = path.lstat()

    assert validate(str(path)) == (status.st_dev, status.st_ino, status.st_ctime_ns)


def test_a_missing_socket_or_folder_is_a_server_that_does_not_run(folder: Path) -> None:
    for missing in (folder / "luvus.sock", folder / "a" / "b" / "luvus.sock"):
        with pytest.raises(NotRunning, match="does not exist"):
            validate(str(missing))


@pytest.mark.parametrize("mode", [0o666, 0o660, 0o700, 0o400])
def test_a_socket_with_another_mode_is_refused(path: Path, mode: int) -> None:
    path.chmod(mode)

    with pytest.raises(UnsafeEndpoint, match=f"has mode {mode:04o} and must have 0600"):
        validate(str(path))


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o777, 0o500])
def test_a_folder_with_another_mode_is_refused(path: Path, mode: int) -> None:
    path.parent.chmod(mode)

    with pytest.raises(UnsafeEndpoint, match=f"has mode {mode:04o} and must have 0700"):
        validate(str(path))


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_an_ancestor_that_others_may_write_is_refused(folder: Path, mode: int) -> None:
    (folder / "open" / "in").mkdir(parents=True)
    (folder / "open" / "in").chmod(0o700)
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(folder / "open" / "in" / "s"))
    sock.close()
    (folder / "open" / "in" / "s").chmod(0o600)
    assert validate(str(folder / "open" / "in" / "s"))
    (folder / "open").chmod(mode)

    with pytest.raises(UnsafeEndpoint, match="others could replace"):
        validate(str(folder / "open" / "in" / "s"))


def test_below_the_temporary_root_a_folder_that_others_only_read_is_accepted(folder: Path) -> None:
    (folder / "in").mkdir(mode=0o700)
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(folder / "in" / "s"))
    sock.close()
    (folder / "in" / "s").chmod(0o600)
    folder.chmod(0o755)

    assert validate(str(folder / "in" / "s"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("depth", ["socket", "folder", "below the temporary root"])
def test_what_belongs_to_another_user_is_refused(folder: Path, depth: str) -> None:
    (folder / "in").mkdir(mode=0o700)
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(folder / "in" / "s"))
    sock.close()
    (folder / "in" / "s").chmod(0o600)
    given = {"socket": folder / "in" / "s", "folder": folder / "in"}.get(depth, folder)
    os.chown(given, 12345, -1)

    with pytest.raises(UnsafeEndpoint, match="belongs to user 12345"):
        validate(str(folder / "in" / "s"))


def test_a_link_anywhere_is_refused(folder: Path, path: Path) -> None:
    (folder / "link").symlink_to(path.parent)
    (folder / "sock").symlink_to(path)

    for linked in (folder / "link" / "luvus.sock", folder / "sock"):
        with pytest.raises(UnsafeEndpoint, match="symbolic link"):
            validate(str(linked))


def test_a_file_is_no_socket(folder: Path) -> None:
    (folder / "luvus.sock").touch(0o600)

    with pytest.raises(UnsafeEndpoint, match="is no socket"):
        validate(str(folder / "luvus.sock"))


@pytest.mark.parametrize(
    "address", ["luvus.sock", "/tmp/../tmp/x.sock", "/tmp//x.sock", "/tmp/./x", "", "/"]
)
def test_a_path_that_is_not_canonical_is_refused(address: str) -> None:
    with pytest.raises(UnsafeEndpoint, match="canonical"):
        validate(address)


def test_a_new_socket_at_the_same_path_is_another_one(path: Path) -> None:
    first = validate(str(path))
    path.unlink()
    again = socket.socket(socket.AF_UNIX)
    again.bind(str(path))
    path.chmod(0o600)

    assert validate(str(path)) != first
    again.close()
