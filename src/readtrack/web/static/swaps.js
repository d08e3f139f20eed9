// A swap takes away what had the focus: it goes back to the same row, or to the menu the change was made in.
import { $, all, fade, on, rowOf } from "./dom.js";

let left = null;

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

on("submit", rememberPlace, true);
on("htmx:before:request", (event) => event.target.closest(".entry") && rememberPlace(event));
on("htmx:after:swap", returnToPlace);
