"""The live session: the single writer of its state, the owner of its tasks and prompts."""
