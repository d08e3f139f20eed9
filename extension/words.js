// Messages in the language of the browser.

export function say(name, ...values) {
  return chrome.i18n.getMessage(name, values);
}

/** Fill the elements that name a message in data-say. */
export function fillWords() {
  document.documentElement.lang = chrome.i18n.getUILanguage();
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(element.dataset.say);
}
