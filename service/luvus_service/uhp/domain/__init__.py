"""Pure rules of the session: no I/O, no event loop, no wire models."""
