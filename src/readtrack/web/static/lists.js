// Lists keep their place: where one was in a list, what was chosen, and on a paper's page the way back to the results.
const KEPT = "readtrack-results";
const rows = () => [...document.querySelectorAll("[data-results] [data-row] a.title")];
const idOf = (link) => Number(link.pathname.split("/").pop());
const here = () => location.pathname + location.search;

function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function keep(results) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(results));
  } catch {
    // Without storage there is no way back but the browser's own.
  }
}

// Which place the first row has in the whole list: known from the first page on, as one goes from page to page.
function startOf(list, before, count) {
  if ("first" in list.dataset) return 0;
  if (before.at === here()) return before.start;
  if (before.older === here()) return before.start === null ? null : before.start + before.ids.length;
  if (before.newer === here() && before.start !== null) return Math.max(before.start - count, 0);
  return null;
}

function remember(list) {
  const before = recall();
  const ids = [...new Set(rows().map(idOf))];
  const start = startOf(list, before, ids.length);
  const { older, newer } = list.dataset;
  const kept = before.at === here() ? { chosen: before.chosen, y: before.y, on: before.on } : {};
  const total = older || start === null ? null : start + ids.length;
  keep({ ...kept, at: here(), older, newer, ids, start, total, turn: before.turn });
}

// Leaving the list: where on it one is, and which rows are ticked.
function leave() {
  const list = document.querySelector("[data-results]");
  if (!list) return;
  const chosen = [...list.querySelectorAll(".pick:checked")].map((box) => box.value);
  const on = document.activeElement?.closest("[data-row]")?.id ?? "";
  keep({ ...recall(), at: here(), chosen, on, y: window.scrollY });
}

function cameBack() {
  const from = document.referrer && new URL(document.referrer);
  const type = performance.getEntriesByType("navigation")[0]?.type;
  return type === "back_forward" || (from && from.origin === location.origin && /^\/papers\/\d+/.test(from.pathname));
}

function restore() {
  const kept = recall();
  if (kept.at !== here() || !cameBack()) return;
  for (const value of kept.chosen ?? []) {
    const box = document.querySelector(`.pick[value="${CSS.escape(value)}"]`);
    if (box) box.checked = true;
  }
  document.querySelector(".pick:checked")?.dispatchEvent(new Event("change", { bubbles: true }));
  if (kept.y) window.scrollTo({ top: kept.y, behavior: "instant" });
  const row = (kept.on && document.getElementById(kept.on)) || (kept.last && document.getElementById(`paper-${kept.last}`));
  row?.querySelector("a.title")?.focus({ preventScroll: Boolean(kept.y) });
}

// A step over the edge of a page: the list is opened, and from it at once its first or last paper.
function turn() {
  const kept = recall();
  if (!kept.turn) return;
  keep({ ...kept, turn: "" });
  const link = kept.turn === "first" ? rows().at(0) : rows().at(-1);
  if (link && cameBack()) location.replace(link.href);
}

function point(link, address, turned) {
  if (!address) return link.remove();
  link.href = address;
  if (turned) link.addEventListener("click", () => keep({ ...recall(), turn: turned }));
}

// On a paper's page: its place among the results, and its neighbours there.
function showResults(bar) {
  const kept = recall();
  const place = kept.ids?.indexOf(Number(location.pathname.split("/")[2])) ?? -1;
  if (place < 0) return;
  keep({ ...kept, last: kept.ids[place] });
  const beside = (step) => kept.ids[place + step] && `/papers/${kept.ids[place + step]}`;
  point(bar.querySelector(".back"), kept.at);
  point(bar.querySelector(".previous"), beside(-1) ?? kept.newer, beside(-1) ? "" : "last");
  point(bar.querySelector(".next"), beside(1) ?? kept.older, beside(1) ? "" : "first");
  const at = kept.start === null ? null : kept.start + place + 1;
  const total = kept.total ?? (at === null ? null : `${kept.start + kept.ids.length}+`);
  bar.querySelector(".n").textContent = at === null ? "" : bar.dataset.at.replace("{at}", at).replace("{total}", total);
  bar.hidden = false;
}

function arrive() {
  const list = document.querySelector("[data-results]");
  const bar = document.querySelector("#results[hidden]");
  if (list) remember(list);
  if (bar) showResults(bar);
}

arrive();
restore();
turn();
addEventListener("pagehide", leave);
document.addEventListener("htmx:after:swap", arrive);
