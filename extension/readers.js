// Who has a paper on their list, for the popup.
const ORDER = ["reading", "read", "to_read", "paused", "dropped"];

/** The names of others by status, as [status, names] in the order of ORDER; and my own status, "" without one. */
export function groupReaders(readings, myId) {
  const others = ORDER.map((status) => [
    status,
    readings.filter((reading) => reading.status === status && reading.person_id !== myId).map((reading) => reading.person),
  ]);
  const mine = readings.find((reading) => reading.person_id === myId)?.status ?? "";
  return { mine, others: others.filter(([, names]) => names.length > 0) };
}

/** The names in a list of topics, separated by commas; quotes keep a comma in a name. */
export function splitTopics(text) {
  const names = text.match(/"[^"]*"|[^,，、]+/g) ?? [];
  return names.map((name) => name.trim().replace(/^"(.*)"$/, "$1").trim()).filter(Boolean);
}

/** The title of a tab, unless metadata services know better: they do not for web pages in general. */
export function suggestTitle(identifier, tabTitle) {
  return identifier === null || identifier.startsWith("url:") ? tabTitle : "";
}
