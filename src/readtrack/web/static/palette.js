// The palette: what is found follows what is typed; arrows choose, Enter goes there. Not while a word is composed.
import { $, all, composing, on, page } from "./dom.js";

const PAUSE = 80; // milliseconds without a key, after which one asks
let waiting = 0;

const field = (event) => event.target.closest?.("#palette-q");
const hits = () => all("#palette-found a");

function look(input) {
  clearTimeout(waiting);
  waiting = setTimeout(() => find(input), PAUSE);
}

async function find(input) {
  const typed = input.value;
  const found = await page(`/palette?q=${encodeURIComponent(typed)}`, { part: true });
  const list = found?.ok && $("#palette-found", found.page);
  if (!list || input.value !== typed || !input.isConnected) return;
  $("#palette-found").replaceWith(list);
  choose(input, 0);
}

function choose(input, place) {
  const links = hits();
  links.forEach((link, number) => link.setAttribute("aria-selected", number === place));
  input.setAttribute("aria-activedescendant", links[place]?.id ?? "");
  links[place]?.scrollIntoView({ block: "nearest" });
}

function onKey(event) {
  const input = field(event);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!input || composing(event) || !(step || event.key === "Enter")) return;
  const links = hits();
  const at = links.findIndex((link) => link.getAttribute("aria-selected") === "true");
  event.preventDefault();
  event.stopPropagation();
  if (step) choose(input, (at + step + links.length) % links.length);
  else if (at < 0) input.form.requestSubmit();
  else if (event.ctrlKey || event.metaKey) window.open(links[at].href, "_blank", "noopener");
  else go(links[at]);
}

// What is another dialog opens in place of this one.
function go(link) {
  $("dialog[open]")?.close();
  link.click();
}

on("keydown", onKey, true);
on("input", (event) => field(event) && !event.isComposing && look(field(event)));
on("compositionend", (event) => field(event) && look(field(event)));
