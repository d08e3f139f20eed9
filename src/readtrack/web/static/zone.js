// The time zone of the browser: sent along by somebody new, offered where one is chosen.
import { $, all, on } from "./dom.js";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function offer() {
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

offer();
on("htmx:after:swap", offer);
