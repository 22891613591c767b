"""The dashboard in the browser: on, off, and who is logged in."""
