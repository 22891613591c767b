"""Terminals side by side."""
