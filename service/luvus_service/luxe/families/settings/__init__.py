"""Choices of the session: model, thinking level, mode."""
