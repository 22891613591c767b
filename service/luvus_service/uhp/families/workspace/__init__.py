"""Folders with tabs."""
