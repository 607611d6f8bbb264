// Starts the viewer in a file that holds everything (arena/web/exported.py).

import { Viewer } from "./viewer.js";

const data = JSON.parse(document.getElementById("viewer-data").textContent);
const whole = document.getElementById("viewer");
new Viewer(whole, data.film, { chances: data.chances, heading: "h1" });
