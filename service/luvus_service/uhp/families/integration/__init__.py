"""Integrations: hooks by which agents tell of themselves."""
