"""One folder per group of frames: the actions a client sends and the events it reads."""
