// Niceties on top of pages that work without them: keys, menus that close, copying, drafts kept in this browser.
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

const draftKey = (area) => `draft ${location.pathname} ${area.dataset.draft}`;

function offerDraft(area) {
  const kept = localStorage.getItem(draftKey(area));
  if (!kept || kept.trim() === area.value.trim()) return;
  const offer = document.createElement("button");
  Object.assign(offer, { type: "button", className: "button small", textContent: "Bring back what I typed here and did not save" });
  offer.addEventListener("click", () => { area.value = kept; offer.remove(); area.focus(); });
  area.after(offer);
}

function keepDraft(event) {
  if (event.target.dataset.draft) localStorage.setItem(draftKey(event.target), event.target.value);
}

function forgetDrafts(event) {
  const leaving = event.target.getAttribute("action") === "/sign-out";
  if (leaving) Object.keys(localStorage).filter((key) => key.startsWith("draft ")).forEach((key) => localStorage.removeItem(key));
}

// A swap takes away what had the focus: it goes back to the same row, or to the menu the change was made in.
function rememberPlace(event) {
  const place = event.target.closest("[data-row], .state");
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

// A name after an @ may be completed: arrows choose, Enter or Tab takes, Escape leaves. Not while a word is composed.
const naming = /(?:^|[^\p{L}\p{N}@/._+-]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[@＠]([\p{L}\p{N}][\p{L}\p{N}\p{M}._' -]{0,40})$/u;
let offering = null;

function stopOffering() {
  offering?.list.remove();
  offering?.area.removeAttribute("aria-activedescendant");
  offering = null;
}

async function offerNames(event) {
  const area = event.target;
  if (!area.matches("[data-people]") || event.isComposing) return;
  const typed = area.value.slice(0, area.selectionEnd).match(naming)?.[1];
  if (!typed) return stopOffering();
  const answer = await fetch(`/api/v1/people/complete?q=${encodeURIComponent(typed)}`);
  const { items } = answer.ok ? await answer.json() : { items: [] };
  if (area.value.slice(0, area.selectionEnd).match(naming)?.[1] !== typed) return;
  stopOffering();
  if (items.length) offerList(area, typed, items);
}

function offerList(area, typed, items) {
  const list = document.createElement("ul");
  Object.assign(list, { className: "pop offers", id: "offers", role: "listbox", ariaLabel: "People" });
  list.append(...items.map((item, place) => {
    const row = document.createElement("li");
    Object.assign(row, { id: `offer-${place}`, role: "option", textContent: item.name });
    row.dataset.mention = item.mention;
    row.addEventListener("mousedown", (event) => { event.preventDefault(); takeName(row); });
    return row;
  }));
  offering = { area, typed, list };
  area.after(list);
  chooseName(0);
}

function chooseName(place) {
  const rows = [...offering.list.children];
  offering.at = (place + rows.length) % rows.length;
  rows.forEach((row, number) => row.setAttribute("aria-selected", number === offering.at));
  offering.area.setAttribute("aria-activedescendant", rows[offering.at].id);
}

function takeName(row) {
  const { area } = offering;
  const typed = area.value.slice(0, area.selectionEnd).match(naming)?.[1] ?? offering.typed; // perhaps more since
  area.setRangeText(`${row.dataset.mention} `, area.selectionEnd - typed.length - 1, area.selectionEnd, "end");
  stopOffering();
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

function onNameKey(event) {
  if (!offering || event.target !== offering.area || composing(event) || event.ctrlKey || event.metaKey) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) chooseName(offering.at + step);
  else if (event.key === "Enter" || event.key === "Tab") takeName(offering.list.children[offering.at]);
  else if (event.key === "Escape") stopOffering();
  else return;
  event.preventDefault();
}

// Who answers with words marked quotes them.
function beginAnswer(event) {
  const area = event.target.matches(".reply[open]") && $("textarea", event.target);
  if (!area) return;
  if (!area.value && quoting) area.value = quoting.split("\n").map((line) => `> ${line}`).join("\n") + "\n\n";
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
}

let quoting = "";
function markedWords() {
  const marked = getSelection();
  const words = String(marked).trim();
  if (words) quoting = marked.anchorNode?.parentElement?.closest(".prose") ? words : "";
}

// What was sent and arrived is no draft any more: the page of an error, or of signing in, is no arrival.
function noteSent(event) {
  const keys = event.target.matches(".say") ? [...event.target.querySelectorAll("[data-draft]")].map(draftKey) : [];
  if (keys.length && event.submitter?.value !== "preview") sessionStorage.setItem("sent", JSON.stringify(keys));
}

function forgetSent() {
  const keys = JSON.parse(sessionStorage.getItem("sent") ?? "[]");
  sessionStorage.removeItem("sent");
  if (document.getElementById(location.hash.slice(1))?.matches(".comment")) keys.forEach((key) => localStorage.removeItem(key));
}

// A place inside of what is folded away is opened when an address leads there.
function openPlace() {
  const place = location.hash.startsWith("#comment-") && document.getElementById(location.hash.slice(1));
  if (!place) return;
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  place.scrollIntoView({ block: "center" });
}

document.addEventListener("keydown", onNameKey, true);
document.addEventListener("keydown", onKey);
["dragover", "dragleave", "drop"].forEach((name) => document.addEventListener(name, dropped));
document.addEventListener("click", onClick);
document.addEventListener("input", keepDraft);
document.addEventListener("change", countChosen);
document.addEventListener("submit", forgetDrafts);
document.addEventListener("submit", rememberPlace, true);
document.addEventListener("htmx:before:request", (event) => event.target.closest(".entry") && rememberPlace(event));
document.addEventListener("htmx:after:swap", returnToPlace);
all("[data-copy]").forEach((button) => { button.hidden = false; });
all("[data-all]").forEach((box) => { box.closest("label").hidden = false; });
["input", "click", "compositionend"].forEach((name) => document.addEventListener(name, (event) => event.target.matches("[data-people]") && offerNames(event)));
document.addEventListener("focusout", () => stopOffering());
document.addEventListener("selectionchange", markedWords);
document.addEventListener("toggle", beginAnswer, true);
document.addEventListener("submit", noteSent);
addEventListener("hashchange", openPlace);
forgetSent();
openPlace();
all("[data-draft]").forEach(offerDraft);
