"""The process that owns the terminals, and the server's way to it.

`client` is the server's side; everything the host itself loads is standard library and light.
"""
