// Menus that close, texts that are copied, drafts that are forgotten; and what works with scripts only is shown.
import { $, all, on, say, typing } from "./dom.js";

function closeMenus(except) {
  all("details[name=menu][open]").forEach((menu) => menu.contains(except) || menu.removeAttribute("open"));
}

export function escape() {
  const menu = $("details[name=menu][open]");
  closeMenus(null);
  if (menu) $("summary", menu).focus();
  else if (typing(document.activeElement)) document.activeElement.blur();
}

// A button copies a field (data-copy: its id) or what an address answers (data-copy-from); then it says so. What is
// fetched goes to the clipboard as a promise, as Safari allows no copying later.
function copy(button) {
  if (button.dataset.copyFrom) return copyFrom(button);
  const field = document.getElementById(button.dataset.copy);
  field.select();
  navigator.clipboard?.writeText(field.value).then(() => { button.textContent = button.dataset.done; });
}

export function copyFrom(button) {
  const text = fetch(button.dataset.copyFrom).then((answer) => answer.ok ? answer.text() : Promise.reject(answer));
  navigator.clipboard?.write([new ClipboardItem({ "text/plain": text })]).then(() => {
    const said = document.createElement("p");
    Object.assign(said, { className: "notice good", textContent: button.dataset.done });
    say([said]);
    closeMenus(null);
  });
}

function onClick(event) {
  closeMenus(event.target);
  const button = event.target.closest("[data-copy], [data-copy-from]");
  if (button) copy(button);
}

export function showAids() {
  all("[data-copy], [data-copy-from]").forEach((button) => { button.hidden = false; });
}

// A link to a section that is folded away opens it.
function unfold() {
  document.getElementById(location.hash.slice(1))?.querySelector(":scope > details")?.setAttribute("open", "");
}

// Who signs out leaves only those drafts in the browser that the server has not got.
function forgetDrafts(event) {
  if (!event.target.matches("[action='/sign-out']")) return;
  Object.entries(localStorage).forEach(([key, text]) => key.startsWith("draft ") && text.endsWith('"sent":true}') && localStorage.removeItem(key));
}

on("click", onClick);
on("submit", forgetDrafts);
on("htmx:after:swap", showAids);
window.addEventListener("hashchange", unfold);
showAids();
unfold();
