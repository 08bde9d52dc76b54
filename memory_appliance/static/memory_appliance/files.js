// The reader and the editor: ranges of lines from the address, saving by key, no text lost by leaving.
"use strict";

(() => {
  // #L3-L7 names no element: mark those lines and go to the first. Rendered notes know where their blocks begin.
  function mark() {
    const found = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
    const file = document.getElementById("file");
    if (!found || !file) return;
    const first = Number(found[1]);
    const last = Number(found[2] || first);
    file.querySelectorAll(".cited").forEach((line) => line.classList.remove("cited"));
    const places = [...file.querySelectorAll("[id^=L]")].map((line) => [Number(line.id.slice(1)), line]);
    const start = Math.max(0, ...places.filter(([number]) => number <= first).map(([number]) => number));
    const cited = places.filter(([number]) => number >= start && number <= last).map(([, line]) => line);
    cited.forEach((line) => line.classList.add("cited"));
    if (cited.length) cited[0].scrollIntoView({ block: "center" });
  }
  window.addEventListener("hashchange", mark);
  mark();

  const editor = document.querySelector("form[data-editor]");
  if (!editor) {
    // On a phone the other files would stand above the one that is read.
    if (matchMedia("(max-width: 60rem)").matches) document.querySelectorAll("details.beside").forEach((tree) => { tree.open = false; });
    return;
  }
  const field = editor.querySelector("textarea");
  const before = field.defaultValue;
  let sent = false;
  editor.addEventListener("submit", () => { sent = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      editor.requestSubmit();
    }
  });
  window.addEventListener("beforeunload", (event) => {
    if (!sent && field.value !== before) event.preventDefault();
  });
})();
