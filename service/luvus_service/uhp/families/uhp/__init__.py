"""Discovery, figures and delegated tokens."""
