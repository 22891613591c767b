"""The Agent Client Protocol over the agent's frames; knows frames and that protocol, no engine."""
