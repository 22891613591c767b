"""Sums several pytest runs into one closing line: `N passed, N failed, N skipped`.

Reads the JUnit files that the runs left. Errors outside a test's body count as failures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree


def closing_line(reports: Iterable[str]) -> str:
    """Return the totals of JUnit reports, each given as XML text."""
    passed = failed = skipped = 0
    for report in reports:
        # The files were written a moment ago by our own pytest.
        for suite in ElementTree.fromstring(report).iter("testsuite"):  # noqa: S314
            bad = int(suite.get("failures", "0")) + int(suite.get("errors", "0"))
            omitted = int(suite.get("skipped", "0"))
            passed += max(0, int(suite.get("tests", "0")) - bad - omitted)
            failed += bad
            skipped += omitted
    return f"{passed} passed, {failed} failed, {skipped} skipped"


def main(paths: list[str]) -> int:
    """Print the totals of the JUnit files at `paths`; return 1 when no test passed."""
    line = closing_line(Path(path).read_text(encoding="utf-8") for path in paths)
    print(line)
    return 1 if line.startswith("0 passed") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
