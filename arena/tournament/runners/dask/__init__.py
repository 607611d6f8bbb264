"""Tournaments on several machines: batches of matches are played by the workers of a Dask cluster.

The store of the conductor is the only source of truth. A cluster may lose workers, batches, results and its scheduler,
and may play matches twice; each match is taken once, by its name.

    link      the address of a cluster, certificates, and connecting
    runner    the conductor's side: submits batches, takes results
    worker    the worker's side: plays batches with a local runner
    cache     the bots that a worker has received
    cluster   the processes of a cluster: scheduler, worker, and both on one machine
"""
