"""Declares methods, dispatches and guards calls, shapes errors; knows no method."""
