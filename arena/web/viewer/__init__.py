"""The match viewer: a match as JSON (a film), the chances of each seat, and the page that shows both.

For Python:

    film_of(replay)                     the film of a finished match for spectators (film.py)
    FilmMaker(header, seat)             the film of a match in progress: `.add(entry)` takes the next line of the replay
                                        and returns what the browser's `viewer.extend(more)` takes (film.py)
    chances_of(replay)                  the win-probability curve (chances.py)
    as_html(film, chances)              one file that needs no server (page.py)

All of it is plain JSON. Inside a page it must go through `page.script_safe`.

For the browser, `static/` (plain modules; serve the folder as it is):

    import { Viewer } from "./viewer.js";
    const viewer = new Viewer(element, film, { chances, seat, step, url });
    viewer.go(step); viewer.look(seat /* or null */); viewer.extend(more); viewer.setChances(chances);

    import { Table } from "./table.js";              // the table alone, for people who play
    const table = new Table(element, film, { onChoose: (action) => … });
    table.show(frame, { seat, choices: [{ action: "steal 2", label: "Steal", hint: "41 %" }], entry, duration });

`static/viewer.js` and `static/table.js` say more. Include `static/viewer.css`; everything is in the class `viewer`.
"""
