"""Newline JSON and stdio, translated to calls on an ASGI app that is handed in; knows no method."""
