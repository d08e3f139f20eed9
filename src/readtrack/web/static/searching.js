// The search field offers how a search may go on: arrows choose, Enter or Tab takes, Escape leaves. Never while a word
// is composed. Pages work without it.
import { $, composing } from "./dom.js";

const field = $("#search");
const list = Object.assign(document.createElement("ul"), { className: "pop offers", id: "search-offers", role: "listbox", hidden: true });
let chosen = -1;
let asked = 0;

const options = () => [...list.children];

function close() {
  list.hidden = true;
  chosen = -1;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

function choose(place) {
  const rows = options();
  chosen = (place + rows.length) % rows.length;
  rows.forEach((row, number) => row.setAttribute("aria-selected", number === chosen));
  field.setAttribute("aria-activedescendant", rows[chosen].id);
  rows[chosen].scrollIntoView({ block: "nearest" });
}

async function offer(event) {
  if (composing(event)) return;
  const mine = ++asked;
  const question = new URLSearchParams({ q: field.value, at: field.selectionEnd });
  const answer = field.value ? await fetch(`/search/complete?${question}`, { headers: { "HX-Request-Type": "partial" } }).catch(() => null) : null;
  const rows = answer?.ok && !answer.redirected ? await answer.text() : "";
  if (mine !== asked) return;
  const taken = options()[chosen]?.dataset.q; // it stays chosen as long as it is offered
  list.innerHTML = rows;
  if (document.activeElement !== field) return;
  close();
  list.hidden = !list.children.length;
  field.setAttribute("aria-expanded", String(!list.hidden));
  const still = options().findIndex((row) => row.dataset.q === taken);
  if (still >= 0) choose(still);
}

function take(row) {
  field.value = row.dataset.q;
  field.setSelectionRange(row.dataset.at, row.dataset.at);
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function onKey(event) {
  if (list.hidden || composing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) choose(chosen < 0 && step < 0 ? -1 : chosen + step);
  else if (event.key === "Escape") close();
  else if (chosen >= 0 && (event.key === "Enter" || event.key === "Tab")) take(options()[chosen]);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

if (field) {
  list.setAttribute("aria-label", field.dataset.offers);
  field.after(list);
  const said = { role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false" };
  Object.entries(said).forEach(([name, value]) => field.setAttribute(name, value));
  field.addEventListener("input", offer);
  field.addEventListener("compositionend", offer);
  field.addEventListener("keydown", onKey);
  field.addEventListener("blur", close);
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const row = event.target.closest("[role=option]");
    if (row) take(row);
  });
}
