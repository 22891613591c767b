"""Agents: who is there, how it is doing, and how to drive it."""
