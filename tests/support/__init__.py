"""What tests share: fakes of ports, watchers for leaks, and the programs they drive."""
