"""Play in the browser: a match between a person and bots.

    request     the match that a browser asks for
    opponents   the bots to choose from
    match       one match: the person as a player, the clock, and what the browsers are sent
    lobby       all of them, their referee, and their storage
    hints       what a bot would do, asked for and never played
    routes      the addresses

Rules:
- Until the match is over, a browser gets only what the person's seat may know.
- Requests are validated as untrusted input. An invalid choice costs nothing: the person reads why and chooses again.
- A choice names the decision it is for, so that a double click or an old tab changes nothing.
- A match that was played to its end or resigned is stored; an abandoned one is not.
"""
