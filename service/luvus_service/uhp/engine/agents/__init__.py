"""The live agents: detection, authority, driving, sessions and usage."""
