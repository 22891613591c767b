from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from luvus_service.adapters.sockets import (
    PATH_BYTES,
    UnsafeFolder,
    bind_owner_socket,
    remove_socket,
    same_user,
)


@pytest.fixture(params=[0o000, 0o022, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_socket_is_the_owners_only_under_any_umask(short_tmp: Path, umask: int) -> None:
    path = short_tmp / "luvus.sock"

    with bind_owner_socket(path, backlog=8):
        assert (mode_of(path), mode_of(short_tmp)) == (0o600, 0o700)
        assert list(short_tmp.iterdir()) == [path]
        assert os.umask(umask) == umask
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))


@pytest.mark.needs("strace")
def test_the_socket_has_its_mode_before_anyone_can_see_its_name(short_tmp: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path;"
        "from luvus_service.adapters.sockets import bind_owner_socket;"
        "os.umask(0); bind_owner_socket(Path(sys.argv[1]), backlog=8).close()"
    )
    trace, path = short_tmp / "trace", short_tmp / "luvus.sock"
    wanted = "trace=bind,fchmod,chmod,rename,listen,umask"

    subprocess.run(
        ["strace", "-o", trace, "-e", wanted, sys.executable, "-B", "-c", program, path],
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )

    calls = [line.split("(")[0] for line in trace.read_text().splitlines() if "(" in line]
    assert calls == ["umask", "fchmod", "bind", "chmod", "listen", "rename"]


def test_every_start_makes_a_new_socket_in_place_of_a_stale_one(short_tmp: Path) -> None:
    path = short_tmp / "luvus.sock"
    first = bind_owner_socket(path, backlog=8)
    before = path.lstat()

    with bind_owner_socket(path, backlog=8):
        after = path.lstat()
        assert (before.st_ino, before.st_ctime_ns) != (after.st_ino, after.st_ctime_ns)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
    first.close()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701, 0o500, 0o1700])
def test_a_folder_with_another_mode_is_refused(short_tmp: Path, mode: int) -> None:
    folder = short_tmp / "d"
    folder.mkdir()
    folder.chmod(mode)

    with pytest.raises(UnsafeFolder, match=f"has mode {mode:04o}; run chmod 700"):
        bind_owner_socket(folder / "s", backlog=8)

    folder.chmod(0o700)
    assert list(folder.iterdir()) == []


def test_a_folder_behind_a_symbolic_link_is_refused(short_tmp: Path) -> None:
    real = short_tmp / "real"
    real.mkdir(mode=0o700)
    link = short_tmp / "link"
    link.symlink_to(real)

    with pytest.raises(UnsafeFolder, match="is a symbolic link"):
        bind_owner_socket(link / "s", backlog=8)


def test_a_folder_that_is_none_or_not_there_is_refused(short_tmp: Path) -> None:
    file = short_tmp / "file"
    file.touch()

    with pytest.raises(UnsafeFolder, match="is not a folder"):
        bind_owner_socket(file / "s", backlog=8)
    with pytest.raises(UnsafeFolder, match="does not exist; create it with mode 0700"):
        bind_owner_socket(short_tmp / "none" / "s", backlog=8)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(short_tmp: Path) -> None:
    folder = short_tmp / "d"
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, -1)

    with pytest.raises(UnsafeFolder, match="belongs to user 12345, not to 0"):
        bind_owner_socket(folder / "s", backlog=8)


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_no_socket_is_not_replaced(short_tmp: Path, kind: str) -> None:
    path = short_tmp / "luvus.sock"
    if kind == "file":
        path.write_text("precious")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(short_tmp / "elsewhere")

    with pytest.raises(OSError, match="exists and is no socket; move it away"):
        bind_owner_socket(path, backlog=8)

    assert list(short_tmp.iterdir()) == [path]


def test_a_path_that_is_too_long_is_refused_with_the_limit(short_tmp: Path) -> None:
    path = short_tmp / ("x" * (PATH_BYTES - len(str(short_tmp))))

    with pytest.raises(OSError, match=f"{PATH_BYTES + 1} bytes, the limit is {PATH_BYTES}"):
        bind_owner_socket(path, backlog=8)

    with bind_owner_socket(path.with_name(path.name[1:]), backlog=8):
        assert [len(str(found)) for found in short_tmp.iterdir()] == [PATH_BYTES]


def test_only_the_socket_that_was_bound_is_removed(short_tmp: Path) -> None:
    path = short_tmp / "luvus.sock"
    with bind_owner_socket(path, backlog=8), bind_owner_socket(short_tmp / "keep", backlog=8):
        inode = path.lstat().st_ino

        assert not remove_socket(path, inode + 1)
        assert path.exists()
        assert remove_socket(path, inode)
        assert not path.exists()
        assert not remove_socket(path, inode)


def test_a_file_in_place_of_the_socket_is_not_removed(short_tmp: Path) -> None:
    path = short_tmp / "luvus.sock"
    path.touch()

    assert not remove_socket(path, path.lstat().st_ino)
    assert path.exists()


def test_a_peer_of_ours_is_the_same_user(short_tmp: Path) -> None:
    path = short_tmp / "s"
    with (
        bind_owner_socket(path, backlog=8) as listener,
        socket.socket(socket.AF_UNIX) as client,
    ):
        client.connect(str(path))
        accepted, _ = listener.accept()
        with accepted:
            assert same_user(accepted)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_peer_of_another_user_is_not_the_same_user(short_tmp: Path) -> None:
    path = short_tmp / "s"
    connect = (
        "import os, socket, sys; s = socket.socket(socket.AF_UNIX);"
        "fd = os.open(sys.argv[1], os.O_PATH); os.setresuid(12345, 12345, 12345);"
        "s.connect(sys.argv[2]); s.recv(1)"
    )
    with bind_owner_socket(path, backlog=8) as listener:
        # The modes are opened here only so that the stranger reaches the check under test.
        path.chmod(0o666)
        short_tmp.chmod(0o711)
        stranger = subprocess.Popen([sys.executable, "-c", connect, str(short_tmp), str(path)])
        accepted, _ = listener.accept()
        with accepted:
            assert not same_user(accepted)
        assert stranger.wait(10) == 0


def test_a_peer_that_cannot_be_known_is_not_the_same_user() -> None:
    with socket.socket(socket.AF_UNIX) as unconnected, socket.socket(socket.AF_INET) as other:
        assert not same_user(unconnected)
        assert not same_user(other)
    assert not same_user(unconnected)
