"""The project as the dock shows it."""
