"""`arena serve`: one process with the web pages and a door for bots from elsewhere, who play in a ladder without end.

Those who come through the door are strangers until their token is checked, and may be gone at any moment:

    tls          the certificate of the door
    admission    how often one may knock
    line         the way to a guest, as the kernel sees it
    gate         who is let in: tokens
    guest        a bot that has come by itself
    door         the gRPC service: who is let in, and as whom
    desk         the other gRPC service: what people do besides playing
    looking      what they see
    upload       what they hand in, as it arrives; intake: how it is taken in
    matchmaking  who meets whom
    ladder       matches, one after the other, as long as there are guests
    unfinished   matches that go on after a restart
    ledger       what came of them, into the store
    journal      what happened, a line each; metrics: the same in numbers
    running      all of it together, from the start to the drain
"""
