// What the button shows: whether the library has the page of this tab, who reads it, and a form to save it.
import { Api } from "./api.js";
import { groupReaders, splitTopics, suggestTitle } from "./readers.js";
import { loadSettings } from "./settings.js";
import { fillWords, say } from "./words.js";

const settings = loadSettings();
const byId = (id) => document.getElementById(id);

function showMessage(text) {
  byId("message").textContent = text;
}

function showPaper(paper, readings) {
  byId("known").hidden = false;
  byId("new").hidden = true;
  const link = byId("paper");
  link.textContent = paper.title || paper.identifiers[0] || say("untitled");
  link.href = `${settings.address}/papers/${paper.id}`;
  const { mine, others } = groupReaders(readings, settings.personId);
  const rows = [...(mine ? [[say("myStatus"), say(mine)]] : []), ...others.map(([status, names]) => [say(status), names.join(", ")])];
  byId("readers").replaceChildren(
    ...rows.flatMap(([term, text]) => {
      const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
      [dt.textContent, dd.textContent] = [term, text];
      return [dt, dd];
    }),
  );
}

function explain(error) {
  if (error instanceof TypeError) return say("unreachable", settings.address);
  return error.status === 401 ? say("badToken") : error.message;
}

async function start() {
  fillWords();
  if (!settings) return showMessage(say("notConnected"));
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  if (!/^https?:/.test(tab?.url ?? "")) return showMessage(say("noPage"));
  const api = new Api(settings);
  const form = byId("form");

  async function refresh() {
    const { identifier, paper, readings } = await api.findPaper(tab.url);
    showMessage(say(paper ? "known" : "unknown"));
    if (paper) showPaper(paper, readings);
    byId("title-field").hidden = Boolean(paper) || suggestTitle(identifier, tab.title) === "";
    form.elements.title.value = paper ? "" : suggestTitle(identifier, tab.title);
    form.hidden = false;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form));
    try {
      await api.savePaper({ url: tab.url, title: fields.title, status: fields.status, topics: splitTopics(fields.topics) });
      await refresh();
      showMessage(say("saved"));
      form.hidden = true;
    } catch (error) {
      showMessage(explain(error));
    }
  });

  try {
    await refresh();
  } catch (error) {
    showMessage(explain(error));
  }
}

start();
