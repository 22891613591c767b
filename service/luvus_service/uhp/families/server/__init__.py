"""The server itself."""
