"""The event stream."""
