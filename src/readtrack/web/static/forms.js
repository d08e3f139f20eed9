// What a form takes from the browser: its time zone, sent along by somebody new and offered where one is chosen; and
// files that are dropped.
import { $, all, on } from "./dom.js";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function offerZone() {
  for (const field of all("[data-browser-zone]")) field.value = zone;
  for (const button of all("[data-use-zone]")) {
    const select = $(`#${button.dataset.useZone}`);
    const option = [...select.options].find((known) => known.value === zone);
    button.hidden = !option || option.defaultSelected;
    button.textContent = button.dataset.label.replace("{zone}", zone);
    button.onclick = () => {
      select.value = zone;
      select.form.requestSubmit();
    };
  }
}

// A file may be dropped anywhere on the form that takes one.
function dropped(event) {
  const form = event.target.closest("[data-drop]");
  if (!form || !event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  form.classList.toggle("over", event.type === "dragover");
  if (event.type === "drop") form.elements[form.dataset.drop].files = event.dataTransfer.files;
}

["dragover", "dragleave", "drop"].forEach((name) => on(name, dropped));
on("htmx:after:swap", offerZone);
offerZone();
