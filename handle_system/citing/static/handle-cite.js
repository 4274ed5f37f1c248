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

  const addButton = (place, name, copied, copy) => {
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
    place.append(button, status);
  };

  for (const card of document.querySelectorAll("section.hdl-cite")) {
    const { copy, copied, copyReference } = card.dataset;
    const head = card.querySelector(".hdl-cite-head");
    const reference = card.querySelector(".hdl-reference-text");
    addButton(head, copyReference, copied, () => copyRichText(reference));
    for (const format of card.querySelectorAll("details.hdl-format")) {
      const name = format.querySelector("summary").textContent;
      const text = format.querySelector("pre");
      const actions = format.querySelector(".hdl-actions");
      addButton(actions, `${copy} ${name}`, copied, () => copyText(text));
    }
  }
})();
