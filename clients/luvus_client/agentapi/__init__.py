"""One agent over HTTP, with the contract that clients of agentapi know."""
