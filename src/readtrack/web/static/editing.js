// A text in Markdown: its marks by keys. All of it is typed, so that the browser's own undo takes it back.
import { $ } from "./dom.js";

const marks = { b: ["**", "**"], i: ["*", "*"], k: ["[", "](https://)"], m: ["$", "$"] };

// True when the key was one of these.
export function editingKey(event, field) {
  const letter = event.key.toLowerCase();
  if (event.altKey || !field.matches("textarea[data-draft]")) return false;
  if (event.shiftKey) return letter === "p" && preview(field);
  if (!marks[letter]) return false;
  surround(field, ...marks[letter]);
  return true;
}

// An editor has its own way of looking at the text.
function preview(field) {
  const button = !field.form.elements.mode && $("[value=preview], [formaction$='/preview']", field.form);
  if (button) button.click();
  return Boolean(button);
}

// Types it in place of what stands there.
export function type(field, text, start = field.selectionStart, end = field.selectionEnd) {
  field.focus();
  field.setSelectionRange(start, end);
  if (text || start !== end) document.execCommand(text ? "insertText" : "delete", false, text);
}

// What is marked keeps being marked; with nothing marked one writes on between the marks. A second time takes them off.
export function surround(field, before, after) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const words = value.slice(start, end);
  const there = value.slice(start - before.length, start) === before && value.slice(end, end + after.length) === after;
  const doubled = before === "*" && value.slice(start - 2, start) === "**" && value.slice(start - 3, start) !== "***";
  const off = there && !doubled;
  type(field, off ? words : before + words + after, ...(off ? [start - before.length, end + after.length] : []));
  const from = off ? start - before.length : start + before.length;
  field.setSelectionRange(from, from + words.length);
}
