// The time zone of the browser is offered instead of UTC; it can be changed like any field.
"use strict";

(() => {
  const field = document.querySelector("[data-own-zone]");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (field && zone && field.value === "UTC") field.value = zone;
})();
