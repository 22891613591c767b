"""Several test runs are summed into the one line that CI reads."""

from __future__ import annotations

from pathlib import Path

from scripts.test_totals import closing_line, main


def report(**counts: int) -> str:
    attributes = " ".join(f'{name}="{count}"' for name, count in counts.items())
    return (
        f'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite {attributes}/></testsuites>'
    )


def test_runs_are_summed_and_errors_count_as_failures() -> None:
    first = report(tests=10, failures=1, errors=2, skipped=3)
    second = report(tests=5, failures=0, errors=0, skipped=0)

    assert closing_line([first, second]) == "9 passed, 3 failed, 3 skipped"


def test_no_run_at_all_counts_nothing() -> None:
    assert closing_line([]) == "0 passed, 0 failed, 0 skipped"


def test_runs_in_which_nothing_passed_are_a_failure(tmp_path: Path) -> None:
    skipped = tmp_path / "skipped.xml"
    skipped.write_text(report(tests=2, failures=0, errors=0, skipped=2), encoding="utf-8")
    passed = tmp_path / "passed.xml"
    passed.write_text(report(tests=1, failures=0, errors=0, skipped=0), encoding="utf-8")

    assert main([str(skipped)]) == 1
    assert main([str(skipped), str(passed)]) == 0
