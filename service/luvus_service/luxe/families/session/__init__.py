"""The session itself: handshake, new, load, list, close, notices."""
