"""`arena web`: the arena in a browser.

Pages are made from the store by functions that know nothing of HTTP's details (`boards`, `bots`, `tournaments`,
`matches`), by templates in `templates/`, and become better by the scripts in `static/` where there are any.

Laws:
- every page that only shows something is safe to expose: it changes nothing and tells nothing that the home's owner
  would hide (no seeds of matches under way, no paths);
- what changes something needs the token that `arena web` printed, and comes from one of our own pages (`security`);
- names, logs and notes are untrusted: templates escape everything, scripts set texts and never markup;
- no page reads all matches: its first byte takes as long after a hundred matches as after a hundred thousand.
"""
