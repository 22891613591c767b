"""Lets `python -m luvus_client.cli` run the command line."""

from __future__ import annotations

import sys

from luvus_client.cli.main import main

sys.exit(main())
