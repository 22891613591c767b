"""Measurements beside tmux, printed as one table: `python -m tests.bench [--only cat,ping]`."""
