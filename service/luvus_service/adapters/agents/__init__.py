"""What Luvus knows of each agent program: manifests, commands, sessions, usage, hooks."""
