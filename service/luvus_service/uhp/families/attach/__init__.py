"""A person's terminal joined to a pane."""
