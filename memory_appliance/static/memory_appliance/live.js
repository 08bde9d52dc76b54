// What moves on a page: parts that ask for themselves again, dialogs, copying. Everything works without it, only slower.
"use strict";

(() => {
  // A part with data-poll="seconds" and hx-trigger="poll" asks for itself again: the server says how often, in each
  // answer anew. A hidden tab asks for nothing and catches up when it is seen again.
  const timers = new WeakMap();

  function arm(part) {
    clearTimeout(timers.get(part));
    const seconds = Number(part.dataset.poll);
    if (!seconds) return;
    timers.set(part, setTimeout(() => {
      if (!part.isConnected) return;
      if (document.hidden || part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) arm(part);
      else htmx.trigger(part, "poll");
    }, seconds * 1000));
  }

  function armAll(root) {
    if (root.matches && root.matches("[data-poll]")) arm(root);
    root.querySelectorAll("[data-poll]").forEach(arm);
  }

  document.addEventListener("DOMContentLoaded", () => armAll(document));

  // What was typed before the scripts had come, or put back by the browser, counts as typed now. htmx has begun to
  // listen before this, for its script stands first.
  document.addEventListener("DOMContentLoaded", () => {
    for (const field of document.querySelectorAll("input:not([type=checkbox], [type=radio], [type=hidden]), textarea")) {
      if (field.value !== field.defaultValue) field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  document.addEventListener("htmx:load", (event) => armAll(event.target));
  // A part that was not replaced, whatever the reason, asks again at its pace. A server that does not answer is told
  // on the page until it does.
  document.addEventListener("htmx:afterRequest", (event) => {
    const part = event.target.closest && event.target.closest("[data-poll]");
    if (part) arm(part);
    if (event.detail.successful) away(false);
  });
  for (const name of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(name, () => away(true));

  function away(now) {
    if (document.body.classList.contains("offline") === now) return;
    document.body.classList.toggle("offline", now);
    document.getElementById("announce").textContent = now ? document.getElementById("away").textContent : "";
  }
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) document.querySelectorAll("[data-poll]").forEach((part) => htmx.trigger(part, "poll"));
  });

  // An answer without the part that was asked for: a refusal is shown in the part's place; a failure that is no page of
  // ours, such as a proxy's, is a server that is away; anything else, such as the sign-in page when the session is over,
  // is a page of its own.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const asked = event.detail.requestConfig.elt.closest("[hx-select]");
    if (!asked || !event.detail.shouldSwap) return;
    const part = asked.getAttribute("hx-select");
    if (event.detail.serverResponse.includes(`id="${part.slice(1)}"`)) return;
    const answer = new DOMParser().parseFromString(event.detail.serverResponse, "text/html");
    if (answer.querySelector("section[role=alert]")) {
      event.detail.selectOverride = "section[role=alert]";
      event.detail.swapOverride = "innerHTML";
    } else {
      event.detail.shouldSwap = false;
      if (event.detail.xhr.status >= 400) {
        event.detail.isError = true;
        away(true);
      } else location.reload();
    }
  });

  // When a part renews itself, the link or button that has the focus keeps it, and what was opened stays open.
  // (htmx itself keeps the focus of what has an id.)
  let kept = null;

  function sign(control) {
    if (control.href) return control.href;
    const hidden = control.form ? [...control.form.querySelectorAll("[type=hidden]:not([name=csrfmiddlewaretoken])")] : [];
    const told = control.form ? [control.form.action, control.value, ...hidden.map((field) => field.value)] : [control.textContent];
    return [control.tagName, ...told].join(" ");
  }

  document.addEventListener("htmx:beforeSwap", (event) => {
    const part = event.detail.requestConfig.elt.closest("[data-poll]");
    kept = part && {
      id: part.id,
      focus: part.contains(document.activeElement) && sign(document.activeElement),
      open: new Set([...part.querySelectorAll("details[open] > summary")].map(sign)),
    };
  });
  document.addEventListener("htmx:afterSwap", () => {
    const part = kept && document.getElementById(kept.id);
    if (!part) return;
    const controls = [...part.querySelectorAll("a[href], button, summary")];
    controls.filter((one) => one.matches("summary") && kept.open.has(sign(one))).forEach((one) => { one.parentElement.open = true; });
    const again = kept.focus && controls.find((one) => sign(one) === kept.focus);
    if (again && document.activeElement !== again) again.focus({ preventScroll: true });
    kept = null;
  });

  // After a swap the focus goes where the answer says (data-focus), and its sentence is read out (data-announce).
  document.addEventListener("htmx:afterSettle", (event) => {
    const root = event.detail.elt;
    const wanted = root.matches("[data-focus]") ? root : root.querySelector("[data-focus]");
    if (wanted) wanted.focus();
    const said = root.matches("[data-announce]") ? root : root.querySelector("[data-announce]");
    if (said) document.getElementById("announce").textContent = said.dataset.announce;
  });

  // <button data-copy="#id">: the text of that element goes to the clipboard.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = document.querySelector(button.dataset.copy);
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.classList.add("copied");
    document.getElementById("announce").textContent = button.dataset.copied || "";
  });
  document.querySelectorAll("[data-copy]").forEach((button) => { button.hidden = false; });

  // A form with data-auto sends itself when a choice changes; without script its button does.
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-auto]");
    if (form && event.target.matches("select, [type=checkbox], [type=radio], [type=date]")) form.requestSubmit();
  });

  // A form that is sent twice by an impatient click is one form; after a while, or on coming back, it can be sent anew.
  const AGAIN_MS = 5000;
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (Date.now() - (form.dataset.sent || 0) < AGAIN_MS) event.preventDefault();
    else form.dataset.sent = Date.now();
  });
  window.addEventListener("pageshow", () => {
    document.querySelectorAll("form[data-sent]").forEach((form) => { delete form.dataset.sent; });
  });

  // A row of links that is wider than the window is moved to the one that is current.
  document.querySelectorAll(".main-links, .tabs").forEach((row) => {
    const here = row.querySelector("[aria-current]");
    if (here) row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
  });

  // Menus made of <details> close when one goes elsewhere.
  document.addEventListener("click", (event) => {
    document.querySelectorAll("details.personal[open]").forEach((menu) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
  });
})();
