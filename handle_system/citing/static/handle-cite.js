// Adds buttons that copy to the card "Cite this version". Without a script, or where a
// browser keeps the clipboard to itself, the card has none and lacks nothing else.
(() => {
  "use strict";

  if (!navigator.clipboard) {
    return;
  }

  const addButton = (card, place, name, text) => {
    const { copy, copied } = card.dataset;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "hdl-copy";
    button.setAttribute("aria-label", `${copy}: ${name}`);
    // Both words take the same room, so that nothing moves when one replaces the other.
    for (const word of [copy, copied]) {
      const span = document.createElement("span");
      span.textContent = word;
      button.append(span);
    }
    const status = document.createElement("span");
    status.className = "hdl-status";
    status.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.classList.add("hdl-copied");
      status.textContent = copied;
      setTimeout(() => {
        button.classList.remove("hdl-copied");
        status.textContent = "";
      }, 2000);
    });
    place.append(button, status);
  };

  for (const card of document.querySelectorAll("section.hdl-cite")) {
    const reference = card.querySelector(":scope > .hdl-cite-reference");
    if (reference) {
      addButton(card, reference, reference.textContent, reference.textContent);
    }
    for (const format of card.querySelectorAll("details.hdl-format")) {
      const name = format.querySelector("summary").textContent;
      const code = format.querySelector("pre");
      const place = format.appendChild(document.createElement("div"));
      place.className = "hdl-format-copy";
      addButton(card, place, name, code.textContent);
    }
  }
})();
