"""Live views of terminals, and whose window decides their size."""
