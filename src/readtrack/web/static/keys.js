// Keys. What each of them does stands in web/templating/shortcuts.py too, from where people are told; a test holds the two together.
import { openKeys, openPalette, openQuickAdd } from "./dialogs.js";
import { $, all, composing, keysOn, on, rowHere, rowOf, typing } from "./dom.js";
import { editingKey } from "./editing.js";
import { escape } from "./menus.js";

const MAX_WAIT = 1000; // milliseconds between g and the letter of a place
let leader = 0;

const acts = {
  "?": openKeys,
  "/": focusSearch,
  "c": openQuickAdd,
  "g": waitForPlace,
  "u": () => pressOnPage("z"),
};

// What pages with rows add: their keys, what a key does with Alt, and one that nothing else knows (rows.js).
const ofRows = { acts: {}, withAlt: () => {}, other: () => false };
export const addRows = (more) => Object.assign(ofRows, more);

function focusSearch() {
  const field = $("[data-search]") ?? $("#search");
  field?.select();
  return Boolean(field);
}

function waitForPlace() {
  leader = Date.now();
  return true;
}

function goTo(key) {
  const place = $(`[data-go="${CSS.escape(key)}"]`);
  place?.click();
  return Boolean(place);
}

// A control of the row, or else one that the page shows (if only in a menu), says by itself which key presses it.
function pressInRow(key) {
  const control = rowHere() && $(`[data-rowkey="${CSS.escape(key)}"]`, rowHere());
  control?.click();
  focusUnfolded(control);
  return Boolean(control);
}

// What a key unfolds begins with its first field.
function focusUnfolded(control) {
  if (control?.matches("summary") && control.parentElement.open) $("input:not([type=hidden]), select, textarea", control.parentElement)?.focus();
}

// All that hides it: sections that are folded away, one within the other, and menus.
function foldsAround(node) {
  const folds = [];
  for (let fold = node.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) folds.push(fold);
  return folds;
}

const shown = (node) => node.checkVisibility() || foldsAround(node).at(-1)?.checkVisibility();

function pressOnPage(key) {
  const control = all(`[data-key="${CSS.escape(key)}"]`).find(shown);
  if (control) foldsAround(control).filter((fold) => fold.matches(".more") && fold !== control.parentElement).forEach((fold) => { fold.open = true; });
  control?.click();
  focusUnfolded(control);
  if (control?.matches("input, select, textarea")) control.focus();
  return Boolean(control);
}

function pressed(key) {
  return pressInRow(key) || (acts[key] ?? ofRows.acts[key])?.() || pressOnPage(key) || ofRows.other(key);
}

function save(event, field) {
  event.preventDefault();
  const within = rowOf(field) ?? field.form;
  const further = event.key === "Enter" && $("[data-further]", field.form);
  field.form.requestSubmit(further || ($("[data-save]", within) ?? $("button.first", field.form)));
}

// With Ctrl or Cmd, in a field too: the palette, saving, and what marks up a text.
function withControl(event, field) {
  const letter = event.key.toLowerCase();
  if (field?.form && (event.key === "Enter" || (letter === "s" && field.matches("textarea, form.editor *")))) return save(event, field);
  if (field && editingKey(event, field)) return event.preventDefault();
  if (letter !== "k" || event.shiftKey || event.altKey) return;
  event.preventDefault();
  openPalette();
}

function onKey(event) {
  if (composing(event) || event.defaultPrevented) return;
  if (event.key === "Escape") return escape();
  const field = typing(event.target);
  if (event.ctrlKey || event.metaKey) return withControl(event, field);
  if (field || !keysOn() || $("dialog[open]")) return;
  if (event.altKey) return ofRows.withAlt(event);
  const led = Date.now() - leader < MAX_WAIT;
  leader = 0;
  if (led ? goTo(event.key) : pressed(event.key)) event.preventDefault();
}

on("keydown", onKey);
