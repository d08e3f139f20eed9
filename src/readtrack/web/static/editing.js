// A text in Markdown: its marks, by keys and buttons. All of it is typed, so that the browser's own undo takes it back.
import { $ } from "./dom.js";

const pairs = { bold: ["**", "**"], italic: ["*", "*"], code: ["`", "`"], maths: ["$", "$"], link: ["[[", "]]"], address: ["[", "](https://)"] };
const blocks = { code: ["```\n", "\n```"], maths: ["$$\n", "\n$$"] }; // around whole lines
const lines = { quote: () => "> ", bullets: () => "- ", numbers: (place) => `${place + 1}. ` };
const marked = /^(?:> |- |\d+\. )/;
const keys = { b: "bold", i: "italic", k: "address", m: "maths" };

// True when the key was one of these.
export function editingKey(event, field) {
  const letter = event.key.toLowerCase();
  if (event.altKey || !field.matches("textarea[data-draft]")) return false;
  if (event.shiftKey) return letter === "p" && look(field.form);
  if (!keys[letter]) return false;
  mark(field, keys[letter]);
  return true;
}

// Between writing and how it will look; where there is no such choice, the form is sent for its preview.
export function look(form) {
  const modes = form.elements.mode;
  const wanted = modes && $(`[name=mode][value=${modes.value === "preview" ? form.dataset.mode || "both" : "preview"}]`, form);
  if (wanted && modes.value !== "preview") form.dataset.mode = modes.value;
  const button = wanted ?? $("[value=preview], [formaction$='/preview']", form);
  button?.click();
  if (wanted) $(modes.value === "preview" ? ".seen" : "textarea[name=markdown]", form).focus({ preventScroll: true });
  return Boolean(button);
}

export function mark(field, name) {
  if (lines[name]) return beginLines(field, lines[name]);
  const several = field.value.slice(field.selectionStart, field.selectionEnd).includes("\n");
  surround(field, ...((several && blocks[name]) || pairs[name]));
}

// Types it in place of what stands there; what is on its own lines has a blank one before it.
export function type(field, text, start = field.selectionStart, end = field.selectionEnd) {
  field.focus();
  field.setSelectionRange(start, end);
  if (text || start !== end) document.execCommand(text ? "insertText" : "delete", false, text);
}

export function typeBlock(field, text, at = field.selectionEnd) {
  const before = field.value.slice(0, at);
  const gap = !before.trim() ? "" : "\n".repeat(Math.max(0, 2 - before.match(/\n*$/)[0].length));
  type(field, `${gap}${text}`, at, at);
}

// What is marked keeps being marked; with nothing marked one writes on between the marks. A second time takes them off.
function surround(field, before, after) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const words = value.slice(start, end);
  const there = value.slice(start - before.length, start) === before && value.slice(end, end + after.length) === after;
  const doubled = before === "*" && value.slice(start - 2, start) === "**" && value.slice(start - 3, start) !== "***";
  const off = there && !doubled;
  type(field, off ? words : before + words + after, ...(off ? [start - before.length, end + after.length] : []));
  const from = off ? start - before.length : start + before.length;
  field.setSelectionRange(from, from + words.length);
}

// Each of the lines that are touched begins so, or no more when all of them do.
function beginLines(field, prefix) {
  const start = field.value.lastIndexOf("\n", field.selectionStart - 1) + 1;
  const stop = field.value.indexOf("\n", Math.max(field.selectionEnd - 1, start));
  const touched = field.value.slice(start, stop < 0 ? field.value.length : stop).split("\n");
  const plain = touched.map((line) => line.replace(marked, ""));
  const given = plain.map((line, place) => prefix(place) + line);
  const text = (given.join("\n") === touched.join("\n") ? plain : given).join("\n");
  type(field, text, start, start + touched.join("\n").length);
  if (touched.length > 1) field.setSelectionRange(start, start + text.length);
}
