// Pictures of graphs: what a node is linked with is lit while it is looked at, and arrow keys lead along the links.
import { $, all, on } from "./dom.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const nodeOf = (target) => target instanceof Element ? target.closest("[data-graph] [data-node]") : null;
const byKey = (graph, key) => $(`[data-node="${CSS.escape(key)}"]`, graph);

function linksOf(node) {
  const key = CSS.escape(node.dataset.node);
  return all(`[data-from="${key}"], [data-to="${key}"]`, node.closest("[data-graph]"));
}

function neighbours(node) {
  const graph = node.closest("[data-graph]");
  const keys = linksOf(node).map(({ dataset }) => dataset.from === node.dataset.node ? dataset.to : dataset.from);
  return [...new Set(keys)].map((key) => byKey(graph, key)).filter(Boolean);
}

function dim(graph) {
  graph.classList.remove("looking");
  for (const each of all(".lit", graph)) each.classList.remove("lit");
}

function light(node) {
  const graph = node.closest("[data-graph]");
  dim(graph);
  graph.classList.add("looking");
  for (const each of [node, ...linksOf(node), ...neighbours(node)]) each.classList.add("lit");
}

function middle(node) {
  const { left, top, width, height } = node.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

// The neighbour that lies most in that direction; the nearer of two that do alike.
function towards(node, [right, down]) {
  const [x, y] = middle(node);
  const rated = neighbours(node).map((other) => {
    const [dx, dy] = middle(other).map((end, axis) => end - [x, y][axis]);
    const length = Math.hypot(dx, dy) || 1;
    const along = (dx * right + dy * down) / length;
    return { other, along, cost: length * (2 - along) };
  });
  return rated.filter(({ along }) => along > 0.2).sort((one, two) => one.cost - two.cost)[0]?.other;
}

on("keydown", (event) => {
  const node = nodeOf(event.target);
  if (!node || !ARROWS[event.key] || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const next = towards(node, ARROWS[event.key]);
  event.preventDefault();
  next?.focus();
});

// A picture wider than its place begins with what it is about.
function centre() {
  for (const node of all(".canvas .central")) {
    const [canvas, box] = [node.closest(".canvas"), node.getBoundingClientRect()];
    canvas.scrollLeft += box.left + box.width / 2 - canvas.getBoundingClientRect().left - canvas.clientWidth / 2;
  }
}
centre();
on("htmx:after:swap", centre);

for (const begin of ["pointerover", "focusin"]) on(begin, (event) => { const node = nodeOf(event.target); if (node) light(node); });
for (const end of ["pointerout", "focusout"]) on(end, (event) => { const node = nodeOf(event.target); if (node) dim(node.closest("[data-graph]")); });
