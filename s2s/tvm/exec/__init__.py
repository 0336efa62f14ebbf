"""Programs under TVM's names: `python -m s2s.tvm.exec.rpc_tracker`, `rpc_server` and `query_rpc_tracker`."""
