// Niceties on top of pages that work without them: keys, menus that close, rows, copying. What helps to write is in writing.js.
const $ = (selector, within = document) => within.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const typing = (node) => node.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");
const composing = (event) => event.isComposing || event.keyCode === 229;
const keysOn = () => document.body.dataset.keys !== "off";
const withKey = (name, key) => all(`[data-${name}]`).find((node) => node.dataset[name] === key);
let leader = 0;
let left = null;
let fading = 0;

function rowOf(node) {
  return node.closest("[data-row]");
}

function move(step) {
  const rows = all("[data-row]");
  const next = rows[rows.indexOf(rowOf(document.activeElement)) + step] ?? (step > 0 ? rows.at(0) : rows.at(-1));
  const place = next && $(".title, a", next);
  if (!place) return false;
  place.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

function setStatus(number) {
  const form = $("[data-status]", rowOf(document.activeElement) ?? document);
  const within = rowOf(document.activeElement) || all("[data-status]").length === 1;
  const button = within && form?.querySelectorAll("[name=status]")[number - 1];
  if (button && !button.disabled) form.requestSubmit(button);
  return Boolean(button);
}

function goTo(key) {
  const place = withKey("go", key);
  place?.click();
  return Boolean(place);
}

function press(key) {
  const row = rowOf(document.activeElement);
  const control = (row && $(`[data-rowkey="${CSS.escape(key)}"]`, row)) ?? withKey("key", key);
  control?.click();
  return Boolean(control);
}

// In a preview one decides with a key, and goes on to the next row.
function decide(word) {
  const row = rowOf(document.activeElement);
  const choice = row && $(`.do input[value="${word}"]`, row);
  if (!choice) return false;
  const rows = all("[data-row]");
  choice.click();
  if (row !== rows.at(-1)) move(1);
  return true;
}

// In my queue, with Alt: a row goes up or down.
function moveInQueue(event) {
  const way = { ArrowUp: "up", ArrowDown: "down" }[event.key];
  const button = way && rowOf(document.activeElement) && $(`[data-rowkey="${way}"]`, rowOf(document.activeElement));
  if (!button) return;
  event.preventDefault();
  button.click();
}

function focusBulk() {
  const button = $(".bulk button");
  button?.focus();
  return Boolean(button?.checkVisibility());
}

// How many rows are chosen, and all of them at once.
function countChosen(event) {
  const whole = event.target.dataset?.all;
  if (whole) all(`[form=bulk][name="${whole}"]`).forEach((box) => { box.checked = event.target.checked; });
  all("[data-chosen]").forEach((place) => {
    const count = all(`[form=bulk][name="${place.dataset.chosen}"]:checked`).length;
    place.textContent = count ? ` ${count}` : "";
  });
}

// What works with scripts only is hidden until one of them runs.
function showAids() {
  all("[data-copy]").forEach((button) => { button.hidden = false; });
  all("[data-all]").forEach((box) => { box.closest("label").hidden = false; });
}

function focusSearch() {
  const field = $("[data-search]") ?? $("#search");
  field?.select();
  return Boolean(field);
}

function showKeys() {
  const dialog = $("#keys");
  if (dialog && !dialog.open) dialog.showModal();
  return Boolean(dialog);
}

function open(part) {
  const link = rowOf(document.activeElement) && $(part, rowOf(document.activeElement));
  link?.click();
  return Boolean(link);
}

function waitForPlace() {
  leader = Date.now();
  return true;
}

const single = {
  "/": focusSearch, "?": showKeys, A: focusBulk, a: () => decide("add") || press("a"), s: () => decide("skip") || press("s"), j: () => move(1), k: () => move(-1), o: () => open("a.title"), v: () => open(".id a"), g: waitForPlace,
  1: () => setStatus(1), 2: () => setStatus(2), 3: () => setStatus(3), 4: () => setStatus(4), 5: () => setStatus(5),
};

function closeMenus(except) {
  all("details[name=menu][open]").forEach((menu) => menu.contains(except) || menu.removeAttribute("open"));
}

function escape() {
  const menu = $("details[name=menu][open]");
  closeMenus(null);
  if (menu) $("summary", menu).focus();
  else if (typing(document.activeElement)) document.activeElement.blur();
}

function onKey(event) {
  if (composing(event) || event.defaultPrevented) return;
  if (event.key === "Escape") return escape();
  const field = typing(event.target);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && field?.form) {
    event.preventDefault();
    return field.form.requestSubmit($("[data-save]", rowOf(field) ?? field.form) ?? $("button.first", field.form));
  }
  if (field || event.ctrlKey || event.metaKey || !keysOn() || $("dialog[open]")) return;
  if (event.altKey) return moveInQueue(event);
  const led = Date.now() - leader < 1000;
  leader = 0;
  const done = led ? goTo(event.key) : (single[event.key]?.() ?? press(event.key));
  if (done) event.preventDefault();
}

function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  field.select();
  navigator.clipboard?.writeText(field.value).then(() => { button.textContent = "Copied"; });
}

function onClick(event) {
  closeMenus(event.target);
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
}

// A swap takes away what had the focus: it goes back to the same row, or to the menu the change was made in.
function rememberPlace(event) {
  const place = rowOf(event.target) ?? event.target.closest(".state");
  if (window.htmx && event.target.matches("[hx-post]")) $("#flash").classList.add("toast");
  const at = document.activeElement;
  left = place && { id: place.id, row: all("[data-row]").indexOf(place), within: at.closest("[data-rowkey]") ? `[data-rowkey="${at.dataset.rowkey}"]:not(:disabled)` : at.closest(".state") ? ".state summary" : at.closest(".do") ? ".do :checked" : at.matches(".title") ? ".title" : ".title, summary" };
}

function returnToPlace() {
  clearTimeout(fading);
  fading = setTimeout(() => $("#flash.toast:not(:hover, :focus-within)")?.replaceChildren(), 8000);
  const place = left && document.activeElement === document.body && (document.getElementById(left.id) ?? all("[data-row]")[left.row] ?? all("[data-row]").at(-1));
  if (place) ($(left.within, place) ?? $(".title", place))?.focus({ preventScroll: true });
}

// A file may be dropped anywhere on the form that takes one.
function dropped(event) {
  const form = event.target.closest("[data-drop]");
  if (!form || !event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  form.classList.toggle("over", event.type === "dragover");
  if (event.type === "drop") form.elements[form.dataset.drop].files = event.dataTransfer.files;
}

document.addEventListener("keydown", onKey);
["dragover", "dragleave", "drop"].forEach((name) => document.addEventListener(name, dropped));
document.addEventListener("click", onClick);
document.addEventListener("change", countChosen);
document.addEventListener("submit", rememberPlace, true);
document.addEventListener("htmx:before:request", (event) => event.target.closest(".entry") && rememberPlace(event));
document.addEventListener("htmx:after:swap", returnToPlace);
document.addEventListener("htmx:after:swap", showAids);
showAids();
