// The board: arrows go from card to card; Alt with an arrow, a mouse or a pen moves one, by the forms in the cards.
import { $, all, composing, keysOn, typing } from "./dom.js";

const FAR = 6; // pixels until a press is a drag
const cardOf = (node) => node?.closest?.("[data-card]");
const columnOf = (node) => node?.closest?.("[data-column]");
// Where the dragged card is; htmx would copy a style attribute, which the policy forbids.
const hand = new CSSStyleSheet();
let held = null;

const focusOn = (card) => card && $(".title", card).focus();

function say(name) {
  const place = $("#board-said");
  place.textContent = "";
  place.textContent = place.dataset[name];
}

// Sends the card's own form; false when that status cannot follow.
function moveTo(card, status) {
  const form = $("[data-move]", card);
  if (![...form.elements.status.options].some((option) => option.value === status)) return false;
  form.elements.status.value = status;
  form.requestSubmit();
  return true;
}

function place(card, beside) {
  const form = $("[data-place]", card);
  if (!form || !beside) return;
  Object.entries(beside).forEach(([name, id]) => { form.elements[name].value = id; });
  form.requestSubmit();
}

// To the next column on that side which the card may go to.
function moveAside(card, step) {
  const aside = all("[data-column]");
  if (step < 0) aside.reverse();
  const beyond = aside.slice(aside.indexOf(columnOf(card)) + 1).map((column) => column.dataset.column).filter(Boolean);
  if (!beyond.some((status) => moveTo(card, status))) say("refused");
}

function neighbour(card, key) {
  const column = columnOf(card);
  const cards = all("[data-card]", column);
  const at = cards.indexOf(card);
  if (key === "ArrowDown") return cards[at + 1];
  if (key === "ArrowUp") return cards[at - 1];
  const columns = all("[data-column]").filter((each) => $("[data-card]", each));
  const aside = columns[columns.indexOf(column) + (key === "ArrowRight" ? 1 : -1)];
  const there = aside ? all("[data-card]", aside) : [];
  return there[Math.min(at, there.length - 1)];
}

// The numbers set my status as they do in lists: to read, reading, paused, read, dropped.
const STATUSES = ["to_read", "reading", "paused", "read", "dropped"];

function onNumber(event, card) {
  const status = STATUSES[Number(event.key) - 1];
  if (!status || event.altKey) return;
  event.preventDefault();
  if (!moveTo(card, status)) say("refused");
}

function onKey(event) {
  if (composing(event) || event.ctrlKey || event.metaKey || !keysOn()) return;
  const card = cardOf(event.target);
  if (typing(event.target) || $("dialog[open]")) return;
  if (card && /^[1-5]$/.test(event.key)) return onNumber(event, card);
  if (!event.key.startsWith("Arrow")) return;
  if (!card) {
    if (event.altKey || event.target !== document.body) return;
    event.preventDefault();
    return focusOn($("[data-card]"));
  }
  const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.altKey && !across) return; // up and down are buttons of the row
  event.preventDefault();
  if (event.altKey) moveAside(card, across);
  else focusOn(neighbour(card, event.key));
}

function grip(event) {
  const card = cardOf(event.target);
  const control = event.target.closest("button, summary, select, input, .pop");
  if (!card || control || event.button !== 0 || event.pointerType === "touch") return;
  held = { card, x: event.clientX, y: event.clientY, dragged: false };
}

function under(event) {
  const node = document.elementsFromPoint(event.clientX, event.clientY).find((each) => !held.card.contains(each));
  return { column: columnOf(node), card: cardOf(node) };
}

function mayDrop(column) {
  if (!column || !column.dataset.column) return false;
  const options = all("[data-move] option", held.card).map((option) => option.value);
  const same = column === columnOf(held.card);
  return same ? Boolean($("[data-place]", held.card)) : options.includes(column.dataset.column);
}

function drag(event) {
  if (!held) return;
  const [x, y] = [event.clientX - held.x, event.clientY - held.y];
  if (!held.dragged && Math.hypot(x, y) < FAR) return;
  if (!held.dragged) begin(event);
  hand.cssRules[0].style.transform = `translate(${x}px, ${y}px)`;
  const { column } = under(event);
  all("[data-column]").forEach((each) => each.classList.toggle("target", each === column && mayDrop(each)));
  event.preventDefault();
}

function begin(event) {
  held.dragged = true;
  held.card.setPointerCapture?.(event.pointerId);
  held.card.classList.add("dragged");
  $("#board").classList.add("dragging");
  all("[data-column]").forEach((each) => each.classList.toggle("closed", !mayDrop(each)));
}

function drop(event) {
  if (!held) return;
  const { card, dragged } = held;
  const there = dragged ? under(event) : {};
  const allowed = dragged && mayDrop(there.column);
  end();
  if (!dragged) return;
  if (!allowed) return there.column && there.column !== columnOf(card) ? say("refused") : undefined;
  if (there.column !== columnOf(card)) moveTo(card, there.column.dataset.column);
  else place(card, besideOf(there, event));
}

// Before the card that it was dropped on; below all of them after the last.
function besideOf(there, event) {
  if (there.card) {
    const box = there.card.getBoundingClientRect();
    return { [event.clientY < box.top + box.height / 2 ? "before" : "after"]: there.card.dataset.card };
  }
  const last = all("[data-card]", there.column).at(-1);
  return last && event.clientY > last.getBoundingClientRect().bottom ? { after: last.dataset.card } : null;
}

function end() {
  if (!held) return;
  held.card.classList.remove("dragged");
  $("#board")?.classList.remove("dragging");
  all("[data-column]").forEach((each) => each.classList.remove("target", "closed"));
  held = null;
}

function onEscape(event) {
  if (event.key === "Escape" && held) end();
}

// After a move the moved card has the focus again, wherever it is now.
let moved = "";
document.addEventListener("submit", (event) => { moved = cardOf(event.target)?.dataset.card ?? ""; }, true);
document.addEventListener("htmx:after:swap", () => {
  const card = moved && $(`[data-card="${CSS.escape(moved)}"]`);
  moved = "";
  if (card) setTimeout(() => focusOn(card), 0);
});
hand.replaceSync(".dragged {}");
document.adoptedStyleSheets.push(hand);
document.addEventListener("keydown", onKey, true); // before the keys of every page
document.addEventListener("keydown", onEscape);
document.addEventListener("pointerdown", grip);
document.addEventListener("pointermove", drag);
document.addEventListener("pointerup", drop);
document.addEventListener("pointercancel", end);
document.addEventListener("dragstart", (event) => cardOf(event.target) && event.preventDefault());
