"""A second opinion on the uncommitted changes."""
