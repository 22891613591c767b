"""Small checks of the repository itself, and the steps behind the Makefile."""
