// Niceties on top of pages that work without them. What helps to write is in writing.js.
import "./choosing.js";
import "./forms.js";
import "./keys.js";
import "./menus.js";
import "./palette.js";
import "./rows.js";
import "./swaps.js";
