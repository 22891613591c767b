"""Introduces the coding agent to the outside world, for its own process and for the server."""
