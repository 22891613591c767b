"""How the panes of a tab share its area."""
