// The search field offers how a search may go on: arrows choose, Enter or Tab takes, Escape leaves. Never while a word
// is composed. Pages work without it.
import { $, choose, chooseNext, chosen, composing, stepOf } from "./dom.js";

const field = $("#search");
const list = Object.assign(document.createElement("ul"), { className: "pop offers", id: "search-offers", role: "listbox", hidden: true });
let asked = 0;

const options = () => [...list.children];

function close() {
  list.hidden = true;
  field.setAttribute("aria-expanded", "false");
  choose(field, options(), null);
}

async function offer(event) {
  if (composing(event)) return;
  const mine = ++asked;
  const question = new URLSearchParams({ q: field.value, at: field.selectionEnd });
  const answer = field.value ? await fetch(`/search/complete?${question}`, { headers: { "HX-Request-Type": "partial" } }).catch(() => null) : null;
  const rows = answer?.ok && !answer.redirected ? await answer.text() : "";
  if (mine !== asked) return;
  const taken = chosen(options())?.dataset.q; // it stays chosen as long as it is offered
  list.innerHTML = rows;
  if (document.activeElement !== field) return;
  close();
  list.hidden = !list.children.length;
  field.setAttribute("aria-expanded", String(!list.hidden));
  const still = options().find((row) => row.dataset.q === taken);
  if (still) choose(field, options(), still);
}

function take(row) {
  field.value = row.dataset.q;
  field.setSelectionRange(row.dataset.at, row.dataset.at);
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function onKey(event) {
  if (event.key === "Escape") asked += 1; // what is still on its way comes too late
  if (list.hidden || composing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = stepOf(event);
  const row = chosen(options());
  if (step) chooseNext(field, options(), step);
  else if (event.key === "Escape") close();
  else if (row && (event.key === "Enter" || event.key === "Tab")) take(row);
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
