"""Writes schemas, pages and clients from the declared methods; knows no method itself."""
