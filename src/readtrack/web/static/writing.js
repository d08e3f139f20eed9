// For whoever writes: drafts kept in this browser, names completed. Pages work without it.
// (Long texts have editors, whose drafts the server keeps, too: drafts.js.)
import { $, all, choose, chooseNext, chosen, composing, stepOf } from "./dom.js";
import { type } from "./editing.js";

const draftKey = (area) => `draft ${document.body.dataset.person} ${location.pathname} ${area.dataset.draft}`;

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

// A name after an @, and a paper or topic after [[, may be completed: arrows choose, Enter or Tab takes, Escape leaves.
// Not while a word is composed.
const completions = [
  { asked: /\[\[([^[\]|\n]{1,100})$/u, path: "/api/v1/references/complete", sign: 2, label: "things", shown: (item) => item.title, written: (item) => item.written },
  { asked: /(?:^|[^\p{L}\p{N}@/._+-]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[@＠]([\p{L}\p{N}][\p{L}\p{N}\p{M}._' -]{0,40})$/u, path: "/api/v1/people/complete", sign: 1, label: "people", shown: (item) => item.name, written: (item) => `${item.mention} ` },
];
let offering = null;
let asked = 0; // how often: an answer to an earlier question comes too late

function stopOffering() {
  asked += 1;
  offering?.list.remove();
  offering?.area.removeAttribute("aria-activedescendant");
  offering = null;
}

function typedFor(completion, area) {
  return area.value.slice(0, area.selectionEnd).match(completion.asked)?.[1];
}

async function offerNames(event) {
  const area = event.target;
  const question = (asked += 1);
  if (event.isComposing) return;
  const completion = completions.find((one) => typedFor(one, area));
  if (!completion) return stopOffering();
  const answer = await fetch(`${completion.path}?q=${encodeURIComponent(typedFor(completion, area))}`).catch(() => null);
  const { items } = answer?.ok ? await answer.json() : { items: [] };
  if (question !== asked) return;
  stopOffering();
  if (items.length) offerList(area, completion, items);
}

function offerList(area, completion, items) {
  const list = document.createElement("ul");
  Object.assign(list, { className: "pop offers", id: "offers", role: "listbox", ariaLabel: area.dataset[completion.label] });
  list.append(...items.map((item, place) => {
    const row = document.createElement("li");
    Object.assign(row, { id: `offer-${place}`, role: "option", textContent: completion.shown(item), dir: "auto" });
    row.dataset.written = completion.written(item);
    row.addEventListener("mousedown", (event) => { event.preventDefault(); takeName(row); });
    return row;
  }));
  offering = { area, completion, typed: typedFor(completion, area), list };
  area.after(list);
  list.style.top = `${lineBelow(area)}px`;
  list.scrollIntoView({ block: "nearest" });
  choose(area, [...list.children], list.firstChild);
}

// Where the line ends that is written, for a long text goes on far below it: a twin holds what stands before.
function lineBelow(area) {
  const twin = area.cloneNode();
  twin.classList.add("twin");
  twin.value = area.value.slice(0, area.selectionEnd);
  area.after(twin);
  twin.style.width = `${area.clientWidth}px`;
  const height = twin.scrollHeight - parseFloat(getComputedStyle(twin).paddingBottom) - area.scrollTop;
  twin.remove();
  return area.offsetTop + Math.min(height, area.offsetHeight);
}

function takeName(row) {
  const { area, completion } = offering;
  const typed = typedFor(completion, area) ?? offering.typed; // perhaps more since
  const closed = completion.sign === 2 && area.value.startsWith("]]", area.selectionEnd) ? 2 : 0;
  stopOffering();
  type(area, row.dataset.written, area.selectionEnd - typed.length - completion.sign, area.selectionEnd + closed);
}

function onNameKey(event) {
  if (event.key === "Escape") asked += 1;
  if (!offering || event.target !== offering.area || composing(event) || event.ctrlKey || event.metaKey) return;
  const rows = [...offering.list.children];
  const step = stepOf(event);
  if (step) chooseNext(offering.area, rows, step);
  else if (event.key === "Enter" || event.key === "Tab") takeName(chosen(rows));
  else if (event.key === "Escape") stopOffering();
  else return;
  event.preventDefault();
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

document.addEventListener("keydown", onNameKey, true);
["input", "click", "compositionend"].forEach((name) => document.addEventListener(name, (event) => event.target.matches("[data-people]") && offerNames(event)));
document.addEventListener("focusout", () => stopOffering());
document.addEventListener("input", keepDraft);
document.addEventListener("submit", noteSent);
forgetSent();
all("[data-draft]:not([data-kept-on])").forEach(offerDraft);
