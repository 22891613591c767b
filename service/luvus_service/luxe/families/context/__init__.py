"""The context window: how full it is, with what, and summarising it."""
