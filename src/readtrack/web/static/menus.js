// Menus that close, texts that are copied, files that are dropped; and what works with scripts only is shown.
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

// A file may be dropped anywhere on the form that takes one.
function dropped(event) {
  const form = event.target.closest("[data-drop]");
  if (!form || !event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  form.classList.toggle("over", event.type === "dragover");
  if (event.type === "drop") form.elements[form.dataset.drop].files = event.dataTransfer.files;
}

// Who signs out leaves no draft behind in this browser.
function forgetDrafts(event) {
  const leaving = event.target.getAttribute("action") === "/sign-out";
  if (leaving) Object.keys(localStorage).filter((key) => key.startsWith("draft ")).forEach((key) => localStorage.removeItem(key));
}

["dragover", "dragleave", "drop"].forEach((name) => on(name, dropped));
on("click", onClick);
on("submit", forgetDrafts);
on("htmx:after:swap", showAids);
window.addEventListener("hashchange", unfold);
showAids();
unfold();
