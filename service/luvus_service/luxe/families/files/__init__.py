"""Project files outside any review."""
