"""Who is in a pane and how it is doing: pure rules over readings that the engine takes."""
