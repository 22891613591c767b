"""The live session: owns state, tasks and lifetimes; the single writer on the event loop."""
