// Keys of a text in Markdown: strong, emphasis, link, maths, preview.
import { $ } from "./dom.js";

const marks = { b: ["**", "**"], i: ["*", "*"], k: ["[", "](https://)"], m: ["$", "$"] };

// True when the key was one of these.
export function editingKey(event, field) {
  const letter = event.key.toLowerCase();
  if (event.altKey || !field.matches("textarea[data-draft]")) return false;
  if (event.shiftKey) return letter === "p" && preview(field);
  const [before, after] = marks[letter] ?? [];
  if (!before) return false;
  surround(field, before, after);
  return true;
}

function preview(field) {
  const button = $("[value=preview], [formaction$='/preview']", field.form);
  button?.click();
  return Boolean(button);
}

// What is marked keeps being marked; with nothing marked one writes on between the marks.
function surround(field, before, after) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const words = value.slice(start, end);
  document.execCommand("insertText", false, before + words + after); // the only way that the browser can undo
  field.setSelectionRange(start + before.length, start + before.length + words.length);
}
