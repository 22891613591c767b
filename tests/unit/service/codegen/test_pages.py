from __future__ import annotations

import re

from luvus_service.codegen.pages import MARK, pages
from tests.unit.service.codegen.sample import CATALOGUE

PAGES = pages(CATALOGUE)


def section(page: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGES[page], re.M | re.S)
    assert found is not None
    return found.group(1)


def test_there_is_a_page_for_each_family_and_three_for_all() -> None:
    assert sorted(PAGES) == ["box.lid.md", "box.md", "errors.md", "event-catalog.md", "index.md"]
    assert all(text.startswith(MARK + "\n\n# ") for text in PAGES.values())
    assert all(text.endswith("\n") and not text.endswith("\n\n") for text in PAGES.values())


def test_a_method_is_described_with_its_parameters_results_and_errors() -> None:
    text = section("box.md", "box.split")

    assert "Scope `workspace`; access `write`. Also callable as `box.halve`." in text
    assert (
        "| `ratio` | number | `0.5` | Share of the old half. At least 0.1, at most 0.9. |" in text
    )
    assert '| `direction` | `"right"` or `"down"` | `"right"` | Where the new half goes. |' in text
    assert "| `sample_missing` | No box has this id; list them to see which are there. |" in text
    assert "`luvus box split [BOX] [--down] [--no-focus] [--ratio X] [--if-revision N]`" in text


def test_an_example_is_spelled_in_every_way_a_caller_may_use() -> None:
    text = section("box.md", "box.split")

    blocks = re.findall(r"```(\w+)\n(.*?)\n```", text, re.S)
    assert [language for language, _ in blocks] == ["sh", "json", "sh", "python", "sh"]
    assert blocks[0][1].endswith('| nc -U "$LUVUS_SOCKET_PATH"')
    assert 'curl --unix-socket ~/.luvus/http.sock "http://luvus/uhp/v1/box.split"' in blocks[2][1]
    assert blocks[3][1] == 'result = client.box.split(box="7", direction="down", focus=False)'
    assert blocks[4][1] == "luvus box split 7 --down --no-focus"


def test_nested_objects_are_opened_and_recursion_ends() -> None:
    names = re.findall(r"^\| `(rows\S*)`", section("box.md", "box.list"), re.M)

    assert names == ["rows", "rows[].box", "rows[].side", "rows[].note", "rows[].children"]


def test_the_table_of_methods_links_to_the_sections() -> None:
    assert "| [`box.note.type`](#boxnotetype) | Type into a box. |" in PAGES["box.md"]
    assert "| `box.halve` | The same as `box.split`. |" in PAGES["box.md"]


def test_the_page_of_errors_names_the_methods_that_answer_them() -> None:
    line = next(line for line in PAGES["errors.md"].splitlines() if "sample_missing" in line)

    assert line == (
        "| `sample_missing` | not_found | No box has this id; list them to see which are there. "
        "| `box.split`, `box.halve`, `box.move` |"
    )


def test_events_are_on_their_own_page_and_on_that_of_their_family() -> None:
    assert "## box.created\n\nA box was made." in PAGES["event-catalog.md"]
    assert "### box.created\n\nA box was made." in PAGES["box.md"]
