// Buttons that copy the reference and the formats of a citation card.
(() => {
  "use strict";

  // Browsers offer no clipboard to pages without HTTPS.
  if (!navigator.clipboard) {
    return;
  }

  const label = (text) => {
    const span = document.createElement("span");
    span.textContent = text;
    span.ariaHidden = "true";
    return span;
  };

  const addButton = (card, place, name, text) => {
    const { copy, copied } = card.dataset;
    const button = document.createElement("button");
    const status = document.createElement("span");
    button.type = "button";
    button.className = "hdl-copy";
    button.setAttribute("aria-label", `${copy}: ${name}`);
    button.append(label(copy), label(copied));
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
    const heading = card.querySelector(":scope > .hdl-cite-heading");
    const reference = card.querySelector(":scope > .hdl-cite-reference");
    if (reference) {
      addButton(card, heading, card.dataset.reference, reference.textContent);
    }
    for (const format of card.querySelectorAll("details.hdl-format")) {
      const name = format.querySelector("summary").textContent;
      const text = format.querySelector("pre").textContent;
      addButton(card, format.querySelector(".hdl-actions"), name, text);
    }
  }
})();
