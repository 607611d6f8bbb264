"""Play in the browser: a match between a person and bots.

    request     the match that a browser asks for
    opponents   the bots to choose from
    person      the person as a player: choices and clock
    match       one match with a person, and what its browsers are sent
    lobby       all of them, and their referee
    hints       what a bot would do, asked for and never played
    storing     the match record
    words       choices and results in words
    routes      the addresses

Rules:
- Until the match is over, a browser gets only what the person's seat may know.
- Requests are validated as untrusted input. An invalid choice costs nothing: the person reads why and chooses again.
- A choice names the decision it is for, so that a double click or an old tab changes nothing.
- A match that was played to its end or resigned is stored; an abandoned one is not.
"""
