// Buttons that copy what a block "cite this version" is for. Without a script, or
// where a browser keeps the clipboard to itself, the page has none.
(() => {
  "use strict";

  if (!navigator.clipboard) {
    return;
  }

  const addButton = (block, place, name, text) => {
    const { copy, copied } = block.dataset;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "hdl-copy";
    button.textContent = copy;
    button.setAttribute("aria-label", `${copy}: ${name}`);
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      said.textContent = ` ${copied}`;
      setTimeout(() => {
        said.textContent = "";
      }, 3000);
    });
    // A space, and no margin: where the line breaks, the button begins the next.
    place.append(" ", button, said);
  };

  for (const block of document.querySelectorAll("section.hdl-cite")) {
    for (const statement of block.querySelectorAll(
      ":scope > .hdl-cite-latest, :scope > .hdl-cite-this",
    )) {
      const link = statement.querySelector("a.hdl");
      if (link) {
        addButton(block, statement, link.textContent, link.textContent);
      }
    }
    const reference = block.querySelector(":scope > .hdl-cite-reference");
    if (reference) {
      addButton(block, reference, reference.textContent, reference.textContent);
    }
    for (const format of block.querySelectorAll(":scope > details.hdl-format")) {
      const name = format.querySelector("summary").textContent;
      const download = format.querySelector(":scope > .hdl-download");
      const place = download ?? document.createElement("p");
      format.append(place);
      addButton(block, place, name, format.querySelector("pre").textContent);
    }
  }
})();
