"""Waiting for output."""
