"""Mission Control: all agents at once, with what they use and cost."""
