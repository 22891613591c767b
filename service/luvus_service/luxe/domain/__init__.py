"""The rules of the agent: pure values and decisions, no I/O and no wire model."""
