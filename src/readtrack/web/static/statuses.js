// The menu that sets my status. A page has it once, as a template; it is put into the row whose control is used.
import { $, all, on, rowOf } from "./dom.js";

// The form of a status control, with what may follow its status. Null where there is no menu to make it of.
export function statusForm(control) {
  const form = $("form", control) ?? $("#status-menu")?.content.firstElementChild.cloneNode(true);
  const link = $("a.pop", control);
  if (!link || !form) return form ?? null;
  const { status } = control.dataset;
  for (const button of all("button[data-after]", form)) {
    button.disabled = !button.dataset.after.split(" ").includes(status);
    if (button.value === status) button.setAttribute("aria-pressed", "true");
  }
  for (const part of all("[data-only]", form)) if (part.dataset.only !== status) part.remove();
  const target = control.closest("[data-swap-whole]") ?? rowOf(control) ?? $("#main");
  form.action = `${link.pathname}/reading`;
  form.setAttribute("hx-post", `${link.pathname}/reading`);
  form.setAttribute("hx-target", `#${target.id}`);
  form.setAttribute("hx-select", `#${target.id}`);
  link.replaceWith(form);
  window.htmx?.process(form);
  return form;
}

// Before the control unfolds.
on("click", (event) => {
  const control = event.target.closest("summary")?.closest("[data-status]");
  if (control) statusForm(control);
}, true);
