"""Turns: sending, steering, stopping, sending again, and everything that streams meanwhile."""
