"""Is anyone there."""
