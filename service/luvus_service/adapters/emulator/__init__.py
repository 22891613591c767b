"""The screens of terminals: two implementations of the `Emulator` port and what they share.

`ghostty` is fast native code, `avt` the memory-safe fallback; `factory` chooses. Nothing here
knows of pseudo-terminals, sockets or sessions.
"""
