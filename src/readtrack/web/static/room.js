// In place of readtrack.js where one writes: without what lists need.
import "./keys.js";
import "./menus.js";
import "./palette.js";
