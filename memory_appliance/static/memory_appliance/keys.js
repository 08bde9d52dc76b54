// The keyboard: / j k Enter n g+letter ? Esc, never inside fields. With Ctrl or the command key only K: search from anywhere.
"use strict";

(() => {
  const TYPING = "input, textarea, select, [contenteditable]";
  const WAIT_MS = 1500; // for the letter after g
  let waitsUntil = 0;

  const seen = (element) => element.getClientRects().length > 0;
  const items = () => [...document.querySelectorAll("[data-item]")].filter(seen);

  function move(step) {
    const list = items();
    if (!list.length) return false;
    const now = list.findIndex((item) => item.contains(document.activeElement));
    const next = list[Math.min(list.length - 1, Math.max(0, now + step))];
    const target = next.matches("a, button, [tabindex]") ? next : next.querySelector("a, button, [tabindex]");
    (target || next).focus();
    next.scrollIntoView({ block: "nearest" });
    return true;
  }

  function follow(selector) {
    const target = [...document.querySelectorAll(selector)].find(seen) || document.querySelector(selector);
    if (!target) return false;
    if (target.matches("input, textarea, select")) { target.focus(); target.select && target.select(); }
    else target.click();
    return true;
  }

  function help() {
    const dialog = document.getElementById("keys-help");
    if (!dialog.open) dialog.showModal();
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      if (follow("[data-search]") || follow('[data-go="q"], [data-go="s"]')) event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest(TYPING)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "Escape") {
      document.querySelectorAll("details.personal[open]").forEach((menu) => { menu.open = false; });
      return;
    }
    if (document.querySelector("dialog[open]")) return;
    let done = false;
    if (Date.now() < waitsUntil && /^[a-z]$/.test(event.key)) {
      waitsUntil = 0;
      done = follow(`[data-go="${event.key}"]`);
    } else if (event.key === "g") {
      waitsUntil = Date.now() + WAIT_MS;
      done = true;
    } else if (event.key === "/") done = follow("[data-search]");
    else if (event.key === "n") done = follow("[data-new]");
    else if (event.key === "j") done = move(1);
    else if (event.key === "k") done = move(-1);
    else if (event.key === "?") done = help();
    if (done) event.preventDefault();
  });
})();
