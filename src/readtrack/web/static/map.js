// The map under the hand: the wheel with Ctrl, two fingers, dragging, and keys move it; then that part is asked for,
// so that names are as many as there is room for. Without this, its links do the same.
import { $, keysOn, on, page, typing } from "./dom.js";

const SETTLED = 220; // milliseconds without a move, until the part is asked for
const KEYS = { "+": "in", "=": "in", "-": "out", 0: "whole" };
let moved = null; // how the picture was moved since it came: by how much nearer, and the shift in its own units
let waiting = 0;
let held = new Map(); // fingers, or the pointer, by id

const map = () => $("[data-map]");
const picture = () => $("[data-map] svg[data-graph]");
// On a narrow screen the window is wider than its place: it begins in the middle.
function centre() {
  const place = $("[data-map] .window");
  if (place) place.scrollLeft = (place.scrollWidth - place.clientWidth) / 2;
}
centre();

const size = (svg) => [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height];

function begin(svg) {
  const [width, height] = moved?.size ?? size(svg);
  moved ??= { size: [width, height], left: 0, top: 0, nearer: 1 };
  return moved;
}

function show(svg) {
  const { size: [width, height], left, top, nearer } = moved;
  svg.setAttribute("viewBox", `${left} ${top} ${width / nearer} ${height / nearer}`);
  clearTimeout(waiting);
  waiting = setTimeout(ask, SETTLED);
}

function shift(svg, dx, dy) {
  const state = begin(svg);
  const scale = state.size[0] / state.nearer / svg.clientWidth;
  state.left -= dx * scale;
  state.top -= dy * scale;
  show(svg);
}

// Nearer or farther, so that what lies under that point stays there.
function zoom(svg, factor, [x, y]) {
  const state = begin(svg);
  const { zoom: now, closest } = map().dataset;
  const nearer = Math.min(Math.max(state.nearer * factor, 1 / now), closest / now);
  const box = svg.getBoundingClientRect();
  const part = [(x - box.left) / box.width, (y - box.top) / box.height];
  state.left += part[0] * state.size[0] * (1 / state.nearer - 1 / nearer);
  state.top += part[1] * state.size[1] * (1 / state.nearer - 1 / nearer);
  state.nearer = nearer;
  show(svg);
}

function wanted() {
  const { zoom: now, x, y, width, height } = map().dataset;
  const { size: [across, down], left, top, nearer } = moved;
  const shifted = [left + across / nearer / 2 - across / 2, top + down / nearer / 2 - down / 2];
  const address = new URL(location);
  const said = { zoom: now * nearer, x: +x + shifted[0] / width, y: +y + shifted[1] / height };
  for (const [name, value] of Object.entries(said)) address.searchParams.set(name, value.toFixed(4));
  return address;
}

async function ask(address = wanted()) {
  if (held.size) return;
  const focused = document.activeElement?.dataset?.way;
  const answer = await page(address, { part: true });
  const part = answer?.ok && $("[data-map]", answer.page);
  if (!part || held.size) return;
  moved = null;
  const { scrollLeft } = $(".window", map());
  map().replaceWith(part);
  $(".window", part).scrollLeft = scrollLeft;
  history.replaceState(history.state, "", address);
  if (focused) $(`[data-way="${focused}"]`).focus();
}

on("click", (event) => {
  const way = event.target.closest("[data-map] [data-way]");
  if (!way || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  ask(new URL(way.href));
});

on("keydown", (event) => {
  if (!map() || event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
  const way = KEYS[event.key];
  if (!way || !keysOn()) return;
  event.preventDefault();
  ask(new URL($(`[data-way="${way}"]`).href));
});

document.addEventListener("wheel", (event) => {
  const svg = picture();
  if (!svg?.contains(event.target) || !event.ctrlKey) return;
  event.preventDefault();
  zoom(svg, Math.exp(-event.deltaY / 200), [event.clientX, event.clientY]);
}, { passive: false });

on("pointerdown", (event) => {
  if (event.button === 0 && picture()?.contains(event.target)) held.set(event.pointerId, { x: event.clientX, y: event.clientY, far: 0 });
});

on("pointermove", (event) => {
  const before = held.get(event.pointerId);
  const svg = picture();
  if (!before || !svg) return;
  const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
  held.set(event.pointerId, { x: event.clientX, y: event.clientY, far: before.far + Math.hypot(dx, dy) });
  if (held.size === 1) return shift(svg, dx, dy);
  const other = [...held].find(([id]) => id !== event.pointerId)[1];
  const apart = (x, y) => Math.hypot(x - other.x, y - other.y) || 1;
  zoom(svg, apart(event.clientX, event.clientY) / apart(before.x, before.y), [other.x, other.y]);
});

// What was dragged is not followed as a link.
let dragged = false;
function release(event) {
  dragged = (held.get(event.pointerId)?.far ?? 0) > 5;
  held.delete(event.pointerId);
  if (moved && !held.size) show(picture());
}
on("pointerup", release);
on("pointercancel", release);
on("click", (event) => { if (dragged && picture()?.contains(event.target)) event.preventDefault(); dragged = false; }, true);
on("dragstart", (event) => { if (picture()?.contains(event.target)) event.preventDefault(); });
