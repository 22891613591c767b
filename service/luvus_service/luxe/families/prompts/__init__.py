"""Prompts: permissions and questions, and approving everything."""
