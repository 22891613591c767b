"""Recordings of panes."""
