"""The outside world, one port each: pty host, emulator, process table, sockets, clock."""
