"""`arena serve`: web pages, an open-ended ladder for remote bots, and the desk for people, in one process.

serve            all parts together, from the start to the shutdown
config           limits, timeouts and intervals
auth             tokens and the audit log; rate_limit, tls
play_service     the service Referee: accepts remote bots
remote_bot       a remote bot's stream; link: its connection's states (pure); tcp_info: what the kernel knows
ladder           bots join, leave and reconnect; matches start, resume and are suspended
matchmaking      which bots meet next
ladder_match     a match, and its file while the server is down; ladder_record: the ladder in the store
desk             the service Desk: submissions (upload), queries and tournaments (tournaments)
worker_process   carries out a submission or a tournament
log, metrics     what happens, as lines and as numbers
"""
