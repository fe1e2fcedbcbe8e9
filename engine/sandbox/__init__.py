"""Processes with limits of time and memory, for work on what comes from strangers.

`process.Sandbox` is this end, `worker` the process, `tasks` what they say to each other. `file_reading` shares the time
of a request among its files. A function is declared as a task by `@task`, beside the work that it does.

What belongs here: how a task is run, limited and ended. What never does: tasks themselves, which stand in the packages
whose files they read, and anything that a task could use to reach secrets or the network.
"""
