"""The service: one ASGI app over a live session of terminals, and the programs around it.

Kept empty of imports: the pty host starts from this package and loads the standard library only.
"""

__version__ = "0.1.0"
