"""Luxe, the coding agent: one session of turns, tools and prompts, driven by JSON frames."""
