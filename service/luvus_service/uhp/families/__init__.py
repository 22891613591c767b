"""One folder per method family: models, methods, events and examples."""
