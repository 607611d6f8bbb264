"""Runners play batches of matches: in local worker processes, or on a Dask cluster."""
