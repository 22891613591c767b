"""Clients of a Luvus server: the Python library and the command lines; knows nothing of the service."""
