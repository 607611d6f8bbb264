"""`arena web`: the arena in a browser.

    app, server     the application and the process that serves it
    security        token, CSRF protection, response headers
    pages/          leaderboards, bots, matches, tournaments
    live/           matches while they are played
    play/           matches between a person and bots
    viewer/         the match viewer
    drawing/        SVG plots, the knockout tree
    exported        a match or the leaderboard as one HTML file
    events          server-sent events, rendered once for all subscribers
    templates/, static/

Rules:
- A page that only shows something is safe to expose: it changes nothing and reveals nothing private (no seeds of
  running matches, no paths).
- A request that changes something needs the token that `arena web` printed, and must come from one of our own pages.
- Names, logs and notes are untrusted: templates escape everything; scripts set text, never markup.
- No page reads all matches: its response time does not depend on how many there are.
"""
