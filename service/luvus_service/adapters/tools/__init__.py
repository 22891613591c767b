"""The tools of the agent, each a `Tool` of the domain; and what they share."""
