"""The session as a whole."""
