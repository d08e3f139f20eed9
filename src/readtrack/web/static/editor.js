// The editor of a long text: how it is looked at, its buttons, its templates and pictures, what is counted beside it.
import { $, all, composing, on, typing } from "./dom.js";
import "./drafts.js";
import { type } from "./editing.js";
import { look, mark, typeBlock } from "./marks.js";

const MODE = "readtrack-editor";
const writing = $("[data-writing]");
const form = writing.closest("form");
const text = $("textarea[name=markdown]", writing);
const tools = $("[role=toolbar]", writing);
const told = $("[data-picture]", form);
let composed = null; // resolved when the word that an input method is at stands there

// How one looks at it is the browser's to remember: a phone has no room for both.
function showMode() {
  const last = localStorage.getItem(MODE) ?? (matchMedia("(max-width: 48rem)").matches ? "edit" : "both");
  const wanted = $(`[name=mode][value="${CSS.escape(last)}"]`, form);
  if (wanted) wanted.checked = true;
}

const mode = () => form.elements.mode.value;

function onMode() {
  localStorage.setItem(MODE, mode());
  preview();
}

// The server makes it, by the way of the page itself; not while nobody looks, or nothing can be asked.
function preview() {
  if (mode() !== "edit" && navigator.onLine) $("[hx-trigger^=look]", writing).dispatchEvent(new Event("look"));
}

// Of the buttons one is reached by Tab, the others by arrows.
function onToolKey(event) {
  const buttons = all("button", tools);
  const at = buttons.indexOf(event.target);
  const place = { ArrowRight: (at + 1) % buttons.length, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (place === undefined) return;
  const next = buttons.at(place);
  buttons.forEach((button) => { button.tabIndex = button === next ? 0 : -1; });
  next.focus();
  event.preventDefault();
}

function onTool(event) {
  const { mark: name } = event.target.closest("button").dataset;
  if (name === "image") return $("#image").click();
  if (name === "table") typeBlock(text, tools.dataset.table);
  else mark(text, name);
}

// A template never takes the place of what is written.
function takeTemplate(event) {
  const link = event.target.closest("[data-outline]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  link.closest("details")?.removeAttribute("open");
  const begin = text.value.trim() ? text.value.length : 0;
  typeBlock(text, link.dataset.outline, begin);
  if (!begin) text.setSelectionRange(...Array(2).fill(text.value.indexOf("\n") + 1));
}

// What hinders it, in a sentence; blank when the picture stands in the text.
async function upload(file) {
  if (!file.type.startsWith("image/")) return told.dataset.none;
  told.textContent = told.dataset.uploading.replace("§", file.name);
  const body = new FormData();
  body.append("image", file, file.name || "image.png");
  const answer = await fetch("/api/v1/images", { method: "POST", body }).catch(() => null);
  const said = await answer?.json().catch(() => null);
  if (answer?.ok) await insert(said.markdown);
  return answer?.ok ? "" : said?.detail ?? told.dataset[answer ? "refused" : "lost"];
}

async function uploadAll(files) {
  const hindered = [];
  for (const file of files) {
    const why = await upload(file);
    if (why) hindered.push(`${file.name}: ${why}`);
  }
  told.textContent = hindered.join(" ");
}

// Uploading takes a while: who writes elsewhere meanwhile goes on there, and a word that is composed is not broken up.
async function insert(words) {
  await composed;
  if (document.activeElement === text || !typing(document.activeElement)) return type(text, words);
  text.setRangeText(words, text.selectionEnd, text.selectionEnd, "end");
  text.dispatchEvent(new Event("input", { bubbles: true }));
}

function onCompose() {
  composed = new Promise((done) => text.addEventListener("compositionend", () => setTimeout(done), { once: true }));
}

function onPaste(event) {
  const { files, types } = event.clipboardData;
  if (!files.length || types.includes("text/plain")) return;
  event.preventDefault();
  uploadAll([...files]);
}

function onDrop(event) {
  const { files, types } = event.dataTransfer;
  if (!types.includes("Files")) return;
  event.preventDefault();
  if (event.type === "drop") uploadAll([...files]);
}

// Characters that are left of a line, words of a text: in Chinese and Japanese as a reader counts them.
const words = new Intl.Segmenter(document.documentElement.lang, { granularity: "word" });
let counting = 0;

function countWords() {
  const place = $("[data-words]", form);
  if (place) place.textContent = place.dataset.words.replace("§", [...words.segment(text.value)].filter((one) => one.isWordLike).length);
}

function countLeft() {
  const place = $("[data-left]", form);
  if (place) place.textContent = place.dataset.left.replace("§", 200 - [...form.elements.tldr.value].length);
}

function onInput(event) {
  if (event.target === form.elements.tldr) countLeft();
  if (event.target !== text) return;
  preview();
  clearTimeout(counting);
  counting = setTimeout(countWords, 500);
}

// Wherever on the page one is, these two are the editor's.
function onKey(event) {
  if (event.defaultPrevented || composing(event) || event.altKey || !(event.ctrlKey || event.metaKey)) return;
  const letter = event.key.toLowerCase();
  if (letter === "s" && !event.shiftKey) form.requestSubmit($("button.first", form));
  else if (letter === "p" && event.shiftKey) look(form);
  else return;
  event.preventDefault();
}

form.addEventListener("input", onInput);
form.addEventListener("change", (event) => event.target.name === "mode" && onMode());
form.addEventListener("click", takeTemplate);
tools.addEventListener("click", (event) => event.target.closest("button") && onTool(event));
tools.addEventListener("keydown", onToolKey);
text.addEventListener("paste", onPaste);
text.addEventListener("compositionstart", onCompose);
["dragover", "drop"].forEach((name) => text.addEventListener(name, onDrop));
$("#image")?.addEventListener("change", (event) => uploadAll([...event.target.files]).then(() => { event.target.value = ""; }));
on("keydown", onKey);
document.documentElement.classList.add("scripted");
showMode();
countLeft();
countWords();
if (text.value !== text.defaultValue) preview(); // the browser brought back what was typed
