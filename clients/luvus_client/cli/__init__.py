"""The `luvus` command line: words to one call, its result to standard output.

Commands come from the generated protocol; only what has no method is written here. Every module
stays cheap to import, because a shell prompt or an agent runs this program hundreds of times.
"""
