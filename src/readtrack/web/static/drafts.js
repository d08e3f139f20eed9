// What is typed and not saved is kept: in this browser at once, on the server a moment later. Each window keeps its own,
// so that none writes over another; what a window left behind is offered by the next editor that opens.
import { $, all, on, page } from "./dom.js";

const QUIET = 2000; // milliseconds after the last key
const MAX_WAIT = 10000; // without being sent, however fast one types; and before it is tried again
const PATIENCE = 30000; // with a server that does not answer
const NAMES = ["markdown", "tldr", "private", "name", "aliases", "parent"];
const writing = $("[data-writing]");
const form = writing?.closest("form");
const status = $("[data-kept]", form ?? document);
const place = form && `draft ${writing.dataset.person} ${writing.dataset.writing} `;

let typed = 0; // when the first key was pressed that the server has not got; 0: it has all
let timer = 0;
let sending = null;
let leaving = false;
let saving = false;

const field = (name) => form.elements[name];
const key = () => place + field("tab").value;
const newTab = () => [...crypto.getRandomValues(new Uint8Array(16))].map((part) => part.toString(16).padStart(2, "0")).join("");

// Whose it is goes along: somebody else may have signed in meanwhile, in another window.
function now() {
  const data = new FormData(form);
  const fields = Object.fromEntries(NAMES.filter((name) => data.has(name)).map((name) => [name, data.get(name)]));
  const version = data.get("version") ? Number(data.get("version")) : null;
  return { fields, version, number: Number(data.get("number")), took: data.get("took"), person: Number(writing.dataset.person) };
}

// False where the browser keeps nothing: its store is full, or forbidden.
function keepHere(sent) {
  try {
    localStorage.setItem(key(), JSON.stringify({ ...now(), sent }));
    return true;
  } catch {
    return false;
  }
}

// Only a change is said, for it is read aloud; when it was is for the eyes.
function tell(state, sentence) {
  const words = sentence ?? status.dataset[state];
  if (status.textContent !== words) status.textContent = words;
  status.dataset.state = state;
  $("[data-at]", form).textContent = state === "both" ? new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : "";
}

const put = (tab, said, more) => fetch(writing.dataset.keep + tab, {
  method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(said), signal: AbortSignal.timeout(PATIENCE), ...more,
}).catch(() => null);

async function refusal(answer) {
  const where = keepHere(false) ? "here" : "nowhere";
  if (!answer) return tell(where);
  if (answer.status === 401) return tell("out");
  const said = await answer.json().catch(() => ({}));
  tell("refused", said.detail ?? status.dataset[where]);
}

// The server's answer; null when it cannot be reached. A name that another window has is left to it.
async function send() {
  clearTimeout(timer);
  const said = now();
  const began = typed;
  let answer = await put(field("tab").value, said);
  if (answer?.status === 412) {
    localStorage.removeItem(key());
    Object.assign(field("tab"), { value: newTab() });
    hold();
    answer = await put(field("tab").value, { ...said, number: 0 });
  }
  if (!answer?.ok) {
    await refusal(answer);
    timer = setTimeout(sendNow, MAX_WAIT);
    return answer;
  }
  field("number").value = (await answer.json()).number;
  if (typed === began && JSON.stringify(now().fields) === JSON.stringify(said.fields)) typed = 0;
  tell(keepHere(!typed) ? "both" : "there");
  if (typed) wait();
  return answer;
}

// One at a time: the second says what the first did not know, or has its answer.
function sendNow() {
  sending = (sending ?? Promise.resolve()).then((answer) => typed ? send() : answer);
  return sending;
}

function wait() {
  clearTimeout(timer);
  timer = setTimeout(sendNow, Math.max(0, Math.min(QUIET, typed + MAX_WAIT - Date.now())));
}

function onInput(event) {
  if (!NAMES.includes(event.target.name)) return;
  typed ||= Date.now();
  leaving = false; // what was to be saved did not leave this page
  keepHere(false);
  wait();
}

// Before it is saved the server has it as a draft: so nothing is lost when it cannot be reached, or asks to sign in.
async function save(event) {
  if (event.target !== form || leaving || !localOrTyped()) return;
  event.preventDefault();
  if (saving) return;
  saving = true;
  typed ||= Date.now();
  keepHere(false);
  tell("saving");
  const hindered = hindrance(await sendNow());
  saving = false;
  all("[data-unsaved]", form).forEach((notice) => { notice.hidden = notice.dataset.unsaved !== hindered; });
  if (hindered) return $("[data-unsaved]:not([hidden])", form).scrollIntoView({ block: "nearest" });
  clearTimeout(timer);
  leaving = true;
  const preview = event.submitter?.formAction.endsWith("/preview");
  if (!preview) sessionStorage.setItem("sent", JSON.stringify({ keys: [key()], at: writing.dataset.arrives }));
  form.requestSubmit(event.submitter);
}

// Why it is of no use to save now. What is wrong with the text itself is told by the page that refuses it.
function hindrance(answer) {
  if (!answer || answer.status === 429 || answer.status > 499) return "lost";
  return { 401: "out", 403: "refused", 413: "refused" }[answer.status] ?? "";
}

const localOrTyped = () => typed || Number(field("number").value) || localStorage.getItem(key());

// What the browser alone has goes to the server before one signs out.
async function signOut(event) {
  if (event.target.getAttribute("action") !== "/sign-out" || !typed || leaving) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  await sendNow();
  leaving = true;
  event.target.requestSubmit(event.submitter);
}

function flush() {
  if (typed && !leaving) put(field("tab").value, now(), { keepalive: true }).then((answer) => answer?.ok && answer.json()).then((kept) => {
    if (kept?.number) field("number").value = kept.number;
  });
}

// While a window is open no other takes up its draft.
const hold = () => navigator.locks?.request(key(), () => new Promise(() => {}));
const whenLeft = (name, act) => navigator.locks
  ? navigator.locks.request(name, { signal: AbortSignal.timeout(3000) }, act).catch(() => false)
  : act();

// What windows left in this browser alone goes to the server, and is offered with what that has.
async function takeUp() {
  const left = Object.keys(localStorage).filter((name) => name.startsWith(place) && name !== key());
  const found = await Promise.all(left.map((name) => whenLeft(name, () => handOver(name))));
  if (found.some(Boolean)) refresh();
}

async function handOver(name) {
  const { sent, ...said } = JSON.parse(localStorage.getItem(name) ?? '{"sent":true}'); // another window was faster
  const shown = !sent && NAMES.every((one) => one === "private" || (said.fields[one] ?? "").trim() === (field(one)?.value ?? "").trim());
  let answer = sent || shown ? { ok: true } : await put(name.slice(place.length), said);
  if (answer?.status === 412) answer = await put(newTab(), { ...said, number: 0 });
  if (answer?.ok) localStorage.removeItem(name);
  return answer?.ok && !sent && !shown;
}

async function refresh() {
  const found = await page(writing.dataset.here);
  const offers = found?.ok && $("#drafts", found.page);
  if (!offers) return;
  $(`[data-of="${field("tab").value}"]`, offers)?.remove();
  $("#drafts").replaceWith(offers);
}

if (form) {
  form.addEventListener("input", onInput);
  form.addEventListener("change", onInput);
  on("submit", save);
  on("submit", signOut, true);
  addEventListener("online", () => typed ? sendNow() : tell("", ""));
  addEventListener("offline", () => tell(!typed || keepHere(false) ? "here" : "nowhere"));
  addEventListener("pagehide", flush);
  addEventListener("pageshow", () => { leaving = false; });
  document.addEventListener("visibilitychange", () => document.hidden && typed && sendNow());
  hold();
  takeUp();
}
