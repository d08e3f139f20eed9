// A swap takes away what had the focus: it goes back to the same row, or to the menu the change was made in. So does a
// page that shows the same place otherwise, or as it was before: what was used there has the focus again.
import { $, all, fade, on, rowHere, rowOf } from "./dom.js";

const USED = "readtrack-used";
const controls = () => all(":is(.shelf, .facets, .narrowing > details) :is(a, button, summary)");
const saying = (control) => control.closest("details")?.id || control.textContent.trim();
let left = null;
let takenBack = false;

function within(at) {
  if (at.closest("[data-rowkey]")) return `[data-rowkey="${CSS.escape(at.dataset.rowkey)}"]:not(:disabled)`;
  if (at.closest(".state")) return ".state summary";
  if (at.closest(".do")) return ".do :checked";
  return at.matches(".title") ? ".title" : ".title, summary";
}

function rememberPlace(event) {
  const place = rowOf(event.target) ?? event.target.closest(".state");
  if (window.htmx && event.target.matches("[hx-post]")) $("#flash").classList.add("toast");
  left = place && { id: place.id, row: all("[data-row]").indexOf(place), within: within(document.activeElement) };
}

function returnToPlace(event) {
  fade();
  if (document.activeElement !== document.body) return;
  const rows = all("[data-row]");
  const place = left && (document.getElementById(left.id) ?? rows[left.row] ?? rows.at(-1));
  if (place) ($(left.within, place) ?? $(".title", place))?.focus({ preventScroll: true });
  else if (event.target.id === "main") $("#main").focus({ preventScroll: true });
}

function used() {
  const now = document.activeElement;
  if (takenBack) return { id: rowHere()?.id || "main" };
  return now?.matches(":focus-visible") && controls().includes(now) ? { saying: saying(now) } : {};
}

function again({ id, saying: words }) {
  const place = id ? document.getElementById(id) : controls().find((each) => each.checkVisibility() && saying(each) === words);
  return place?.matches("[data-row]") ? $(".title", place) : place;
}

function leave() {
  sessionStorage.setItem(USED, JSON.stringify({ at: location.pathname, ...used() }));
}

function arrive() {
  const kept = JSON.parse(sessionStorage.getItem(USED) ?? "{}");
  sessionStorage.removeItem(USED);
  if (kept.at === location.pathname && document.activeElement === document.body) again(kept)?.focus({ preventScroll: true });
}

on("submit", (event) => { takenBack = Boolean(event.target.closest("#flash")); });
on("submit", rememberPlace, true);
on("htmx:before:request", (event) => event.target.closest(".entry") && rememberPlace(event));
on("htmx:after:swap", returnToPlace);
addEventListener("pagehide", leave);
arrive();
