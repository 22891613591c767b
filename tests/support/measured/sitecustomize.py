"""Measures the coverage of servers that tests start; on their path only while it is measured.

The pty host is left alone: it must load nothing but the standard library.
"""

from __future__ import annotations

import sys

if "serve" in sys.orig_argv:
    import coverage

    coverage.process_startup()
