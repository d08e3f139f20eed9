// For talk on a page: who answers quotes the words that are marked, and a comment that is folded away is opened.
import { $ } from "./dom.js";

let quoting = "";

function beginAnswer(event) {
  const area = event.target.matches(".reply[open]") && $("textarea", event.target);
  if (!area) return;
  markedWords(); // the browser may not have told of them yet
  if (!area.value && quoting) area.value = quoting.split("\n").map((line) => `> ${line}`).join("\n") + "\n\n";
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
}

// A click takes the mark away, so the words are kept from when they were marked.
function markedWords() {
  const marked = getSelection();
  const words = String(marked).trim();
  if (words) quoting = marked.anchorNode?.parentElement?.closest(".prose") ? words : "";
}

// A place inside of what is folded away is opened when an address leads there.
function openPlace() {
  const place = location.hash.startsWith("#comment-") && document.getElementById(location.hash.slice(1));
  if (!place) return;
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  place.scrollIntoView({ block: "center" });
}

document.addEventListener("selectionchange", markedWords);
document.addEventListener("toggle", beginAnswer, true);
addEventListener("hashchange", openPlace);
openPlace();
