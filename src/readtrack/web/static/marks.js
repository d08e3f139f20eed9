// The marks of an editor's buttons, and how one looks at its text.
import { $ } from "./dom.js";
import { surround, type } from "./editing.js";

const pairs = { bold: ["**", "**"], italic: ["*", "*"], code: ["`", "`"], maths: ["$", "$"], link: ["[[", "]]"] };
const blocks = { code: ["```\n", "\n```"], maths: ["$$\n", "\n$$"] }; // around whole lines
const lines = { quote: () => "> ", bullets: () => "- ", numbers: (place) => `${place + 1}. ` };
const marked = /^(?:> |- |\d+\. )/;

// Between writing and how it will look.
export function look(form) {
  const modes = form.elements.mode;
  const next = modes.value === "preview" ? form.dataset.mode || "both" : "preview";
  if (next === "preview") form.dataset.mode = modes.value;
  $(`[name=mode][value=${next}]`, form).click();
  $(next === "preview" ? ".seen" : "textarea[name=markdown]", form).focus({ preventScroll: true });
}

export function mark(field, name) {
  if (lines[name]) return beginLines(field, lines[name]);
  const several = field.value.slice(field.selectionStart, field.selectionEnd).includes("\n");
  surround(field, ...((several && blocks[name]) || pairs[name]));
}

// On lines of its own, with a blank one before.
export function typeBlock(field, text, at = field.selectionEnd) {
  const before = field.value.slice(0, at);
  const gap = !before.trim() ? "" : "\n".repeat(Math.max(0, 2 - before.match(/\n*$/)[0].length));
  type(field, `${gap}${text}`, at, at);
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
