"""Tabs of a workspace."""
