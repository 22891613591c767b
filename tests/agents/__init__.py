"""Drives real agents in panes against a local provider: installs, prompts, answers, reads."""
