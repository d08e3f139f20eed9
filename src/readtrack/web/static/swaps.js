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

// The same button of the same form, wherever it stands now.
function sameButton({ target: form, submitter }) {
  const button = submitter?.name ? `[name="${CSS.escape(submitter.name)}"][value="${CSS.escape(submitter.value)}"]` : "";
  return `form[action="${CSS.escape(form.getAttribute("action"))}"] :is(button, input:not([type=hidden])):enabled${button}`;
}

function rememberPlace(event) {
  const place = rowOf(event.target) ?? event.target.closest(".state");
  if (window.htmx && event.target.matches("[hx-post]")) $("#flash").classList.add("toast");
  left = { button: event.submitter && sameButton(event), part: event.target.getAttribute("hx-target") };
  if (place) Object.assign(left, { id: place.id, row: all("[data-row]").indexOf(place), within: within(document.activeElement) });
}

function inRow({ id, row, within: part }) {
  const rows = all("[data-row]");
  const place = part && (document.getElementById(id) ?? rows[row] ?? rows.at(-1));
  return place && ($(part, place) ?? $(".title", place));
}

// What is folded away is reached by what unfolds it.
function reached(control) {
  if (!control || control.checkVisibility()) return control;
  return $("summary", control.closest("details:not([open])") ?? control);
}

const inPart = ({ button, part }) => (button && reached($(button))) ||
  (part?.startsWith("#") && all(`${part} :is(a, button, summary):not(:disabled)`).find((each) => each.checkVisibility()));

function returnToPlace() {
  fade();
  if (!left || document.activeElement !== document.body) return;
  (inRow(left) || inPart(left) || $("#main")).focus({ preventScroll: true });
  left = null;
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
on("htmx:before:request", (event) => event.target.closest(".entry, .my-reading") && rememberPlace(event));
on("htmx:config:request", ({ detail: { ctx } }) => {
  if (ctx.selectOOB?.includes("#flash")) ctx.request.headers["HX-Shows-Flash"] = "true";
});
on("htmx:after:swap", returnToPlace);
addEventListener("pagehide", leave);
arrive();
