// Choosing rows: one, from one to another with Shift, all of the page, all that match; and how many are chosen.
import { $, all, on } from "./dom.js";

let last = null;

const boxes = () => all(".pick[form=bulk]");

function check(list, checked) {
  list.forEach((box) => { box.checked = checked; });
}

// With Shift, everything from the row that was chosen before up to this one goes the same way.
function onClick(event) {
  const box = event.target;
  if (!box.matches?.(".pick[form=bulk]")) return;
  const rows = boxes();
  const from = rows.findIndex((row) => row.value === last);
  if (event.shiftKey && from >= 0) {
    const to = rows.indexOf(box);
    check(rows.slice(Math.min(from, to), Math.max(from, to) + 1), box.checked);
  }
  last = box.value;
}

function onChange(event) {
  const box = event.target;
  if (box.matches?.("[data-choose-all]")) check(boxes(), box.checked);
  if (box.matches?.("[data-every]") && box.checked) check(boxes(), true);
  if (box.matches?.(".pick[form=bulk], [data-choose-all], [data-every]")) tell(box);
}

// A row less than all is not all, and not everything that matches either.
function tell(changed) {
  const form = $("#bulk");
  if (!form) return;
  const rows = boxes();
  const chosen = rows.filter((box) => box.checked).length;
  const whole = $("[data-choose-all]", form);
  const every = $("[data-every]", form);
  if (whole) [whole.checked, whole.indeterminate] = [chosen > 0 && chosen === rows.length, chosen > 0 && chosen < rows.length];
  if (every && chosen < rows.length && changed !== every) every.checked = false;
  const count = $("[data-chosen]", form);
  if (count) count.textContent = every?.checked ? count.dataset.every : String(chosen);
}

// Rows that are chosen when they arrive show that one chooses.
function showAids() {
  const choosing = $("#choosing");
  if (choosing && boxes().some((box) => box.checked)) choosing.checked = true;
  all("[data-choose-all]").forEach((box) => { box.closest("label").hidden = false; });
  tell(null);
}

on("click", onClick);
on("change", onChange);
on("htmx:after:swap", showAids);
showAids();
