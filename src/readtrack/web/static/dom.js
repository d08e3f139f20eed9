// What all the other modules are written with.
export const $ = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
export const on = (name, listener, early = false) => document.addEventListener(name, listener, early);
export const composing = (event) => event.isComposing || event.keyCode === 229;
export const keysOn = () => document.body.dataset.keys !== "off";
export const typing = (node) => node.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");
export const rowOf = (node) => node?.closest("[data-row]");
export const rowHere = () => rowOf(document.activeElement);

// Of the offers below a field one may be chosen, which is read aloud; arrows go round.
export const stepOf = (event) => ({ ArrowDown: 1, ArrowUp: -1 })[event.key];
export const chosen = (rows) => rows.find((row) => row.getAttribute("aria-selected") === "true");

export function choose(field, rows, row) {
  rows.forEach((one) => one.setAttribute("aria-selected", one === row));
  field.setAttribute("aria-activedescendant", row?.id ?? "");
  row?.scrollIntoView({ block: "nearest" });
}

export function chooseNext(field, rows, step) {
  const at = rows.indexOf(chosen(rows));
  choose(field, rows, rows.at(at < 0 && step < 0 ? -1 : (at + step) % rows.length));
}

// A page of ours, or (`part`) the part of it that goes into this one. Null when it cannot be had.
export async function page(address, { part = false, ...options } = {}) {
  const headers = part ? { "HX-Request-Type": "partial" } : {};
  const answer = await fetch(address, { headers, ...options }).catch(() => null);
  return answer && { ok: answer.ok, page: new DOMParser().parseFromString(await answer.text(), "text/html") };
}

// What is said to everybody: it stands where screen readers listen, and goes away by itself.
let fading = 0;
export function say(nodes) {
  const flash = $("#flash");
  flash.classList.add("toast");
  flash.replaceChildren(...nodes);
  window.htmx?.process(flash);
  fade();
}

export function fade() {
  clearTimeout(fading);
  fading = setTimeout(() => $("#flash.toast:not(:hover, :focus-within)")?.replaceChildren(), 8000);
}
