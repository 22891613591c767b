"""The linked worktree a session runs in."""
