// Buttons that copy the reference and the formats of a citation card.
(() => {
  "use strict";

  // Browsers offer no clipboard to pages without HTTPS.
  if (!navigator.clipboard) {
    return;
  }

  const copyText = (element) => navigator.clipboard.writeText(element.textContent);

  // As text, and as HTML without the markup of the page: a word processor keeps the
  // italics and the link.
  const copyRichText = (element) => {
    const plain = element.cloneNode(true);
    plain.querySelectorAll("wbr").forEach((wbr) => wbr.remove());
    plain.querySelectorAll("span").forEach((span) => span.replaceWith(span.textContent));
    plain.querySelectorAll("a").forEach((link) => {
      link.removeAttribute("class");
    });
    const blob = (content, type) => new Blob([content], { type });
    return navigator.clipboard.write([
      new ClipboardItem({
        "text/plain": blob(element.textContent, "text/plain"),
        "text/html": blob(plain.innerHTML, "text/html"),
      }),
    ]);
  };

  const label = (text) => {
    const span = document.createElement("span");
    span.textContent = text;
    return span;
  };

  const addButton = (place, name, copied, copy, described) => {
    const button = document.createElement("button");
    const status = document.createElement("span");
    button.type = "button";
    button.className = "hdl-copy";
    button.append(label(name), label(copied));
    button.lastChild.ariaHidden = "true";
    status.className = "hdl-status";
    status.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      await copy();
      button.classList.add("hdl-copied");
      status.textContent = copied;
      setTimeout(() => {
        button.classList.remove("hdl-copied");
        status.textContent = "";
      }, 2000);
    });
    if (described) {
      button.setAttribute("aria-describedby", described.id);
    }
    place.append(button, status);
  };

  // The button of the first reference is in the head of the card; that of each further one
  // is beside its statement, which tells the buttons apart.
  const addReferenceButtons = (card) => {
    const { copied, copyReference } = card.dataset;
    card.querySelectorAll(".hdl-reference-text").forEach((reference, index) => {
      const term = reference.parentElement.querySelector("dt");
      const place = index === 0 ? card.querySelector(".hdl-cite-head") : term;
      term.id ||= `${card.id}-term-${index + 1}`;
      addButton(place, copyReference, copied, () => copyRichText(reference), term);
    });
  };

  for (const card of document.querySelectorAll("section.hdl-cite")) {
    const { copy, copied } = card.dataset;
    addReferenceButtons(card);
    for (const format of card.querySelectorAll("details.hdl-format")) {
      const name = format.querySelector("summary").textContent;
      const text = format.querySelector("pre");
      const actions = format.querySelector(".hdl-actions");
      addButton(actions, `${copy} ${name}`, copied, () => copyText(text));
    }
  }
})();
