"""The bots' operating system processes: started, limited, logged, pooled and ended."""
