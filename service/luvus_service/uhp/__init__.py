"""The Universal Harness Protocol: workspaces, tabs, panes, agents and their events."""
