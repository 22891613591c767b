"""The contract that holds modules to the standard library, on graphs made by hand."""

from __future__ import annotations

import pytest
from grimp import ImportGraph

from scripts.import_contracts import StandardLibraryOnly


def contract() -> StandardLibraryOnly:
    return StandardLibraryOnly(
        name="The host is plain",
        session_options={"root_packages": ["pkg"]},
        contract_options={"modules": ["pkg.host", "pkg.wire", "pkg.not_written_yet"]},
    )


def graph(*imports: tuple[str, str]) -> ImportGraph:
    made = ImportGraph()
    for line, (importer, imported) in enumerate(imports, start=1):
        made.add_import(
            importer=importer, imported=imported, line_number=line, line_contents="import"
        )
    return made


def test_the_standard_library_and_one_another_are_allowed() -> None:
    made = graph(("pkg.host", "os"), ("pkg.host", "pkg.wire"), ("pkg.other", "orjson"))

    assert contract().check(made, verbose=False).kept


@pytest.mark.parametrize("imported", ["orjson", "pkg.other"])
def test_anything_else_is_reported_with_its_line(
    imported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check = contract().check(graph(("pkg.wire", "os"), ("pkg.host", imported)), verbose=False)

    contract().render_broken_contract(check)

    assert not check.kept
    assert capsys.readouterr().out.strip() == f"-   pkg.host -> {imported} (l.2)"
