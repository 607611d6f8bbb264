"""Playing in the browser: a person takes a seat at a table of bots.

    wish        the table that somebody asks for
    opponents   the bots that can be asked for
    person      the person as the referee's table sees a player, with the clock
    hints       what a bot would do here, asked for and never played
    sitting     one game with a person: what its browsers are told
    lobby     all of them, and the one referee that they have
    words       choices and results in words
    routes      the addresses

Laws:
- a browser is sent what the person's seat may know and nothing else until the game is over: films of that seat;
- what a browser asks for is checked as if a stranger had written it, and a mistake costs nothing: the person is told
  why and asked again;
- every choice names the decision that it is for, so that a doubled click or an old tab changes nothing;
- a game that was played to its end is stored, whoever forfeited; one that everybody has left is not.
"""
