"""`/v1`: contract 4 on the wire that published clients speak. One file a group of addresses."""
