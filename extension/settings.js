// Where readtrack is and who I am there. The storage of the extension's own pages needs no permission.
const KEY = "readtrack";

export function loadSettings() {
  return JSON.parse(localStorage.getItem(KEY) ?? "null");
}

export function saveSettings(settings) {
  localStorage.setItem(KEY, JSON.stringify(settings));
}

/** The address of a server without what follows its path; null if it is none. */
export function parseAddress(text) {
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (!url || !["https:", "http:"].includes(url.protocol)) return null;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
