"""The configuration that all sessions of a home share."""
