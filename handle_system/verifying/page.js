
(() => {
  "use strict";
  const choices = document.querySelector("fieldset");
  if (!choices) return;
  // Read once: a large project has thousands of items.
  const items = Array.from(document.querySelectorAll(".item"), (item) => ({
    item,
    text: item.textContent.toLowerCase(),
  }));
  const folded = Array.from(document.querySelectorAll("details"));

  const label = document.createElement("label");
  label.className = "search";
  const search = document.createElement("input");
  search.type = "search";
  const count = document.createElement("output");
  label.append("Search ", search, " ", count);
  choices.append(label);
  search.addEventListener("input", show);

  function show() {
    const words = search.value.trim().toLowerCase();
    let matches = 0;
    for (const { item, text } of items) {
      const isMatch = text.includes(words);
      item.hidden = !isMatch;
      if (isMatch) matches += 1;
    }
    for (const section of document.querySelectorAll("section")) {
      section.hidden = !section.querySelector(".item:not([hidden])");
    }
    for (const details of folded) details.open = words !== "";
    count.textContent = words ? `${matches} of ${items.length}` : "";
  }
})();
