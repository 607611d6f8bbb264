"""The match viewer: a match as JSON (a film), the chances of each seat, and the page that shows both.

For Python:

    from arena.web.viewer.film import FilmMaker, film_of
    from arena.games.registry import frames_of
    from arena.web.viewer.chances import chances_of
    from arena.web.viewer.page import as_html

    film_of(replay)                 the film of a finished match, with everything in it
    FilmMaker(header, seat)         a match that is still going on: .film is the film so far, .add(entry) takes the next
                                    line of the replay and returns what the browser's viewer.extend(more) takes
    frames_of(game).frame(state, seat)
                                    the table as one seat may know it, for people who play in the browser
    chances_of(replay)              the win-probability curve
    as_html(film, chances)          one file that needs no server

All of it is plain JSON: `json.dumps(film)`; put into a page, it must go through `page.script_safe`.

For the browser, `static/` (plain modules; serve the folder as it is):

    import { Viewer } from "./viewer.js";
    const viewer = new Viewer(element, film, { chances, seat, step, url });
    viewer.go(step); viewer.look(seat /* or null */); viewer.extend(more); viewer.setChances(chances);

    import { Table } from "./table.js";              // the table alone, for people who play
    const table = new Table(element, film, { onChoose: (action) => … });
    table.show(frame, { seat, choices: [{ action: "steal 2", label: "Steal", hint: "41 %" }], entry, duration });

`static/viewer.js` and `static/table.js` say more. Include `static/viewer.css`; everything is in the class `viewer`.
"""
