"""A farm: machines and boards that measure candidates for tuners, on Dask.distributed.

    s2s farm scheduler
    s2s farm worker tcp://scheduler:8786 --board host --board qemu:m4
    s2s tune kws.tflite -o kws.jsonl --on qemu:m4 --farm tcp://scheduler:8786

A tuner submits one Dask task for each trial and asks for the place that it needs as a resource. Dask hands trials out
by priority, and repeats those of workers that die. A worker is a process that a supervisor replaces.
"""
