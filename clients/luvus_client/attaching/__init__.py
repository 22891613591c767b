"""A person's terminal joined to a pane: what `luvus attach` is made of.

The filters are pure and know no terminal; `outer` owns the terminal, `lane` a connection each,
`attachment` joins them. Standard library only, as all of the command line.
"""
