"""Long runs under load: `python -m tests.soak [--minutes 2.5] [--only kills,flood]`."""
