"""Tournaments on many machines: batches of matches are handed to the workers of a Dask cluster.

The store of the conductor is the only truth. A cluster may lose workers, batches, results and its scheduler, and may do
things twice; what it reports is taken once, by the name of the match.

    link      where the cluster is, and how it is reached
    pool      the conductor's side: batches out, results in
    crew      the worker's side: a process with a referee for each core that it offers
    cache     the bots that a worker has been sent
    service   the processes of a cluster: scheduler, worker, both on one machine
"""
