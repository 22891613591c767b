"""The session's records in an SQLite file."""
