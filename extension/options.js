// Where readtrack is: its address and a token, tried before they are kept.
import { Api } from "./api.js";
import { loadSettings, parseAddress, saveSettings } from "./settings.js";
import { fillWords, say } from "./words.js";

const form = document.getElementById("form");
const message = document.getElementById("message");

async function connect(address, token) {
  // The browser asks for this one server; the extension reads no other site.
  const { protocol, hostname } = new URL(address); // a pattern has no port
  try {
    const isAllowed = await chrome.permissions.request({ origins: [`${protocol}//${hostname}/*`] });
    if (!isAllowed) return say("notAllowed", address);
    const me = await new Api({ address, token }).getMe();
    saveSettings({ address, token, personId: me.id });
    return say("connected", me.name);
  } catch (error) {
    return error.status === 401 ? say("badToken") : say("unreachable", address);
  }
}

fillWords();
form.elements.address.value = loadSettings()?.address ?? "";
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const address = parseAddress(form.elements.address.value.trim());
  message.textContent = address ? await connect(address, form.elements.token.value.trim()) : say("badAddress");
});
