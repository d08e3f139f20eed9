// What a paper's own page offers under a key, from a list: its form in a dialog over the list, or its text to copy.
import { show } from "./dialogs.js";
import { $, on, page, say } from "./dom.js";
import { copyFrom } from "./menus.js";

let acting = null; // the row, and the key that was pressed

const control = (found, key) => $(`[data-key="${CSS.escape(key)}"]`, found.page);

export function actFromRow(row, key) {
  const link = /^[talmy]$/.test(key) && row && $("a.title[href^='/papers/']", row);
  if (!link) return false;
  page(link.href).then((found) => found?.ok && !$("dialog[open]") && offer(found, { row, key, title: link }));
  return true;
}

function offer(found, { row, key, title }) {
  const wanted = control(found, key);
  if (wanted?.dataset.copyFrom) return copyFrom(wanted);
  const fold = wanted?.closest("details");
  if (!fold) return;
  const heading = document.createElement("h2");
  Object.assign(heading, { id: "dialog-title", textContent: wanted.textContent });
  const about = document.createElement("p");
  Object.assign(about, { className: "quiet", lang: title.lang, dir: "auto" });
  about.append(...title.cloneNode(true).childNodes);
  const dialog = show([heading, about, ...$("div", fold).childNodes]);
  acting = { id: row.id, key, dialog };
  $("input:not([type=hidden]), select, textarea", dialog)?.focus();
}

// The form goes where it says; the list stays, with the row as it is now.
async function send(event) {
  if (!acting?.dialog.contains(event.target) || event.target.method === "dialog") return;
  event.preventDefault();
  event.stopPropagation();
  const { dialog, id, key } = acting;
  const body = new URLSearchParams(new FormData(event.target, event.submitter));
  const found = await page(event.target.action, { method: "POST", body });
  const problem = found && !found.ok && ($(".error, [role=alert]", control(found, key)?.closest("details") ?? found.page) ?? $("#main", found.page));
  if (!found || problem) return tell(dialog, problem);
  dialog.close();
  const said = $("#flash", found.page);
  if (said) say([...said.childNodes]);
  refresh(id);
}

function tell(dialog, problem) {
  const said = document.createElement("p");
  Object.assign(said, { className: "error", role: "alert", textContent: problem?.textContent.trim() ?? "" });
  $(".error", dialog)?.remove();
  dialog.append(said);
}

async function refresh(id) {
  const found = await page(location.href);
  const [old, row] = [document.getElementById(id), found?.page.getElementById(id)];
  if (!old || !row) return;
  old.replaceWith(row);
  window.htmx?.process(row);
  $(".title", row)?.focus({ preventScroll: true });
}

on("submit", send, true);
