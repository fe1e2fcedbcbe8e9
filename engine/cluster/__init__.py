"""One main model on several machines, by heads or by layers, with MLX's distributed engine.

`Cluster` starts one process, a rank, on each machine (over SSH on others), and watches them. Rank 0 is a process
beside the app with a whole `Engine`; draft models, controller, samplers and grammars run there alone. The app talks
to it through `RemoteEngine`, which is another `EngineClient`.

Rank 0 writes every call that changes a cache into a journal, sent with the next pass; the other ranks repeat the
calls and compare the results. If a rank ends, falls silent or disagrees, all are killed, and every request ends as
`Failed` with what it had committed. If only rank 0's GPU fails, the ranks go on. Finished turns are not kept on disk.
"""
