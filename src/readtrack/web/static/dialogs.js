// Dialogs: a part of a page of ours, shown over the page one is on. Without it, one goes to the page itself.
import { $, composing, on, page } from "./dom.js";

export function show(nodes, { wide = false } = {}) {
  const dialog = document.createElement("dialog");
  dialog.className = wide ? "over wide" : "over";
  dialog.setAttribute("aria-labelledby", "dialog-title");
  dialog.append(...nodes);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close()); // beside it
  document.body.append(dialog);
  window.htmx?.process(dialog);
  dialog.showModal();
  return dialog;
}

// Opens at once, so that no key goes elsewhere meanwhile; what it shows comes a moment later.
function open(address, ready = () => {}) {
  const dialog = show([]);
  dialog.setAttribute("aria-busy", "true");
  page(address, { part: true }).then((found) => {
    if (!dialog.open) return;
    if (!found?.ok) return location.assign(address);
    dialog.append(...found.page.body.childNodes);
    dialog.removeAttribute("aria-busy");
    window.htmx?.process(dialog);
    $("[autofocus]", dialog)?.focus();
    ready(dialog);
  });
  return true;
}

const signedIn = () => Boolean($("#search"));

export function openKeys() {
  return signedIn() && open("/help/keys", (dialog) => {
    for (const section of dialog.querySelectorAll("[data-for]")) section.hidden = !$(section.dataset.for);
  });
}

export function openQuickAdd() {
  const link = $("a[data-key=c]");
  return Boolean(link) && open(link.getAttribute("href"));
}

export function openPalette() {
  return signedIn() && !$("dialog[open]") && open("/palette");
}

// Of one line Enter is the end; of several it is one more, and Ctrl and Enter send them.
function sendLine(event) {
  if (event.key !== "Enter" || event.shiftKey || composing(event) || !event.target.matches("[data-quick] textarea")) return;
  if (event.target.value.includes("\n") || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.target.form.requestSubmit();
}

on("keydown", sendLine);
on("click", (event) => {
  if (event.target.closest("[data-close]")) return event.target.closest("dialog").close();
  const opener = event.target.closest("[data-dialog]");
  if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(opener.getAttribute("href"));
});
