"""Mission Control in the browser: its login, its pages and its static files."""
