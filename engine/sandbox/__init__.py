"""Processes with limits of time and memory, for work on what comes from strangers.

`process.Sandbox` is this end, `worker` the process, `tasks` what they say to each other. `file_reading` shares the time
of a request among its files. A function is declared as a task by `@task`, beside the work that it does.

The system keeps the process from the network, from programs, and from all files but Python's and its libraries'
(`confinement`, by `landlock`, `system_calls` or `seatbelt`). A module whose tasks need more declares it (`access`). If
only a part of a task needs it, that is a task of another module, which another sandbox runs (`tasks.run_elsewhere`).

What belongs here: how a task is run, limited and ended. What never does: tasks themselves, which stand in the packages
whose files they read, and anything that a task could use to reach secrets or the network.
"""
