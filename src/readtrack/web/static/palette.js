// The palette: what is found follows what is typed; arrows choose, Enter goes there. Not while a word is composed.
import { $, all, choose, chooseNext, chosen, composing, on, page, stepOf } from "./dom.js";

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
  choose(input, hits(), hits()[0]);
}

function onKey(event) {
  const input = field(event);
  const step = stepOf(event);
  if (!input || composing(event) || !(step || event.key === "Enter")) return;
  const links = hits();
  const link = chosen(links);
  event.preventDefault();
  event.stopPropagation();
  if (step) chooseNext(input, links, step);
  else if (!link) input.form.requestSubmit();
  else if (event.ctrlKey || event.metaKey) window.open(link.href, "_blank", "noopener");
  else go(link);
}

// What is another dialog opens in place of this one.
function go(link) {
  $("dialog[open]")?.close();
  link.click();
}

on("keydown", onKey, true);
on("input", (event) => field(event) && !event.isComposing && look(field(event)));
on("compositionend", (event) => field(event) && look(field(event)));
