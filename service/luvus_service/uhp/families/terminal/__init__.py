"""Events of terminals."""
