"""The match viewer: `film` and `chances` make JSON of a match, which the modules in `static/` show in a browser.

Inside a page the JSON must go through `exported.script_safe`. In the browser:

    import { Viewer } from "./viewer.js";
    const viewer = new Viewer(element, film, { chances, seat, step, url });
    viewer.go(step); viewer.look(seat /* or null */); viewer.extend(more); viewer.setChances(chances);

    import { Table } from "./table.js";              // the table alone, for people who play
    const table = new Table(element, film, { onChoose: (action) => … });
    table.show(frame, { seat, choices: [{ action: "steal 2", label: "Steal", hint: "41 %" }], entry, duration });

`static/viewer.js` and `static/table.js` say more. Include `static/viewer.css`; everything is in the class `viewer`.
"""
