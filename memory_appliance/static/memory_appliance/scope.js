// Scope rules are moved by dragging, and with Alt and an arrow; the buttons do the same without this script.
"use strict";

(() => {
  let dragged = null;

  // The buttons ask the server, which tells again which rules are never used.
  const send = (row, way) => row.querySelector(`[data-move="${way}"]`).click();

  document.addEventListener("keydown", (event) => {
    const row = event.target.closest("[data-sortable] > li");
    if (!row || !event.altKey || event.ctrlKey || event.metaKey) return;
    const way = { ArrowUp: "up", ArrowDown: "down" }[event.key];
    if (!way) return;
    event.preventDefault();
    send(row, way);
  });

  // Only the handle, which is the rule's title, starts a drag: text in the fields can still be selected.
  document.addEventListener("pointerdown", (event) => {
    const row = event.target.closest("[data-sortable] > li");
    if (row) row.draggable = Boolean(event.target.closest("legend"));
  });
  document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest && event.target.closest("[data-sortable] > li");
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
    dragged.classList.add("dragged");
  });
  document.addEventListener("dragover", (event) => {
    const row = dragged && event.target.closest("[data-sortable] > li");
    if (!row || row.parentElement !== dragged.parentElement) return;
    event.preventDefault();
    if (row === dragged) return;
    const box = row.getBoundingClientRect();
    const below = event.clientY > box.top + box.height / 2;
    row.parentElement.insertBefore(dragged, below ? row.nextSibling : row);
  });
  document.addEventListener("dragend", () => {
    if (!dragged) return;
    dragged.classList.remove("dragged");
    const form = dragged.closest("form");
    dragged = null;
    htmx.ajax("POST", form.getAttribute("action"), { // form.action is the rules' field of that name
      source: form, target: "#scope-form", select: "#scope-form", swap: "outerHTML", values: { do: "keep" },
    });
  });
})();
