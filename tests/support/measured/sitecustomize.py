"""Measures the coverage of servers that tests start; on their path only while it is measured.

The pty host is left alone: it must load nothing but the standard library.
"""

from __future__ import annotations

import os
import sys

if "serve" in sys.orig_argv:
    import coverage

    # Only for this process: what it starts is not to be measured.
    os.environ["COVERAGE_PROCESS_START"] = os.environ.pop("MEASURE_SERVERS")
    coverage.process_startup()
    del os.environ["COVERAGE_PROCESS_START"]
