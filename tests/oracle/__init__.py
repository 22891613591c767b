"""Other terminal emulators as judges of ours. Run by hand: `make oracle`."""
