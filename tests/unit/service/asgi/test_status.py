from __future__ import annotations

import pytest

from luvus_service.asgi.status import OF_KIND, status_of
from luvus_service.rpc.errors import Kind, RpcError


def test_every_kind_of_error_has_a_status_and_only_they() -> None:
    assert set(OF_KIND) == set(Kind)


def test_every_status_says_that_something_failed_and_tells_kinds_apart() -> None:
    assert all(400 <= status < 600 for status in OF_KIND.values())
    assert len(set(OF_KIND.values())) == len(OF_KIND)


@pytest.mark.parametrize("kind", Kind)
def test_the_status_of_an_error_is_that_of_its_kind(kind: Kind) -> None:
    cls = type("OfKind", (RpcError,), {"kind": kind})

    assert status_of(cls("x")) == OF_KIND[kind]
