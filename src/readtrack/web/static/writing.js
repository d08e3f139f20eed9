// For whoever writes: drafts kept in this browser, names completed, words quoted. Pages work without it.
// (Long texts have editors, whose drafts the server keeps, too: drafts.js.)
import { $, all, composing } from "./dom.js";

const draftKey = (area) => `draft ${location.pathname} ${area.dataset.draft}`;

function offerDraft(area) {
  const kept = localStorage.getItem(draftKey(area));
  if (!kept || kept.trim() === area.value.trim()) return;
  const offer = document.createElement("button");
  Object.assign(offer, { type: "button", className: "button small", textContent: area.dataset.back });
  offer.addEventListener("click", () => { area.value = kept; offer.remove(); area.focus(); });
  area.after(offer);
}

function keepDraft(event) {
  if (event.target.matches("[data-draft]:not([data-kept-on])")) localStorage.setItem(draftKey(event.target), event.target.value);
}

function forgetDrafts(event) {
  const leaving = event.target.getAttribute("action") === "/sign-out";
  if (leaving) Object.keys(localStorage).filter((key) => key.startsWith("draft ")).forEach((key) => localStorage.removeItem(key));
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
  Object.assign(list, { className: "pop offers", id: "offers", role: "listbox", ariaLabel: area.dataset.people });
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
  if (keys.length && event.submitter?.value !== "preview") sessionStorage.setItem("sent", JSON.stringify({ keys }));
}

function forgetSent() {
  const { keys = [], at } = JSON.parse(sessionStorage.getItem("sent") ?? "{}");
  sessionStorage.removeItem("sent");
  if (at ? location.pathname === at : document.getElementById(location.hash.slice(1))?.matches(".comment")) keys.forEach((key) => localStorage.removeItem(key));
}

// A place inside of what is folded away is opened when an address leads there.
function openPlace() {
  const place = location.hash.startsWith("#comment-") && document.getElementById(location.hash.slice(1));
  if (!place) return;
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  place.scrollIntoView({ block: "center" });
}

document.addEventListener("keydown", onNameKey, true);
["input", "click", "compositionend"].forEach((name) => document.addEventListener(name, (event) => event.target.matches("[data-people]") && offerNames(event)));
document.addEventListener("focusout", () => stopOffering());
document.addEventListener("selectionchange", markedWords);
document.addEventListener("toggle", beginAnswer, true);
document.addEventListener("input", keepDraft);
document.addEventListener("submit", forgetDrafts);
document.addEventListener("submit", noteSent);
addEventListener("hashchange", openPlace);
forgetSent();
openPlace();
all("[data-draft]:not([data-kept-on])").forEach(offerDraft);
