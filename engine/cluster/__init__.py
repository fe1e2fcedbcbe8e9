"""One main model on several machines, by heads or by layers, with MLX's distributed engine.

`cluster.Cluster` starts a process, a rank, on each machine and watches them. Rank 0 runs next to the app with a whole
`engine.engine.Engine`, which the app reaches as `client.RemoteEngine`. It writes each call that changes a cache into a
journal, sent with the next pass; other ranks repeat the calls and compare results. If one ends, falls silent or
disagrees, all are killed.
"""
