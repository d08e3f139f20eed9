// What keys do with the rows of a page: walk them, open one, set its status, decide it, choose it.
import { actFromRow } from "./acting.js";
import { $, all, rowHere } from "./dom.js";
import { addRows } from "./keys.js";
import { statusForm } from "./statuses.js";

function move(step) {
  const rows = all("[data-row]");
  const next = rows[rows.indexOf(rowHere()) + step] ?? (step > 0 ? rows.at(0) : rows.at(-1));
  const place = next && ($(".title", next) ?? $("a", next));
  if (!place) return false;
  place.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

// An arrow walks on from a row; before the first step it scrolls the page, as everywhere.
function walk(step) {
  const row = rowHere();
  return Boolean(row) && !$("details[open]", row)?.contains(document.activeElement) && move(step);
}

// The row and the next one are chosen.
function extend(step) {
  const box = () => rowHere() && $(".pick", rowHere());
  if (box() && !box().checked) box().click();
  if (!move(step)) return false;
  if (box() && !box().checked) box().click();
  return true;
}

const STATUSES = ["to_read", "reading", "paused", "read", "dropped"];

// Of the row, or of the paper whose page this is.
function setStatus(number) {
  const row = rowHere();
  const mine = !row && $(`#my-reading [name=status][value=${STATUSES[number - 1]}]`);
  if (mine) {
    mine.checked = true;
    mine.form.requestSubmit();
    return true;
  }
  const controls = all("[data-status]", row ?? document);
  const form = controls.length === 1 && statusForm(controls[0]);
  const button = form && all("[name=status]", form)[number - 1];
  if (button && !button.disabled) form.requestSubmit(button);
  return Boolean(button);
}

// In a preview one decides with a key, and goes on to the next row.
function decide(word) {
  const row = rowHere();
  const choice = row && $(`.do input[value="${word}"]`, row);
  if (!choice) return false;
  const rows = all("[data-row]");
  choice.click();
  if (row !== rows.at(-1)) move(1);
  return true;
}

function open(part) {
  const link = rowHere() && $(part, rowHere());
  link?.click();
  return Boolean(link);
}

// The source of the row, or of the paper of the page; in a new window unless it is to be `here`.
function openSource(here = false) {
  const link = rowHere() ? $(".id a", rowHere()) : $(".top .links a");
  if (!link) return false;
  if (here) location.assign(link.href);
  else window.open(link.href, "_blank", "noopener,noreferrer");
  return true;
}

// In my queue, with Alt: a row goes up or down.
function moveInQueue(event) {
  const way = { ArrowUp: "up", ArrowDown: "down" }[event.key];
  const button = way && rowHere() && $(`[data-rowkey="${way}"]`, rowHere());
  if (!button) return;
  event.preventDefault();
  button.click();
}

function focusProgress() {
  const field = $("#my-reading [name=progress_at]");
  if (!field?.checkVisibility()) return false;
  field.select();
  return true;
}

function actOnChosen() {
  const control = $(".bulk :is(button, summary, select)");
  control?.focus();
  return Boolean(control?.checkVisibility());
}

// What the keys do where there are rows.
const acts = {
  "j": () => move(1),
  "k": () => move(-1),
  "ArrowDown": () => walk(1),
  "ArrowUp": () => walk(-1),
  "J": () => extend(1),
  "K": () => extend(-1),
  "o": () => open("a.title"),
  "v": () => openSource(),
  "V": () => openSource(true),
  "A": actOnChosen,
  "1": () => setStatus(1),
  "2": () => setStatus(2),
  "3": () => setStatus(3),
  "4": () => setStatus(4),
  "5": () => setStatus(5),
  "a": () => decide("add"),
  "s": () => decide("skip"),
  "p": focusProgress,
};

addRows({ acts, withAlt: moveInQueue, other: (key) => actFromRow(rowHere(), key) });
