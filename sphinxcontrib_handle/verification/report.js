
(() => {
  "use strict";
  const table = document.getElementById("handles");
  const body = table.tBodies[0];
  // Read once: a large project has thousands of rows.
  const rows = Array.from(body.rows, (row) => ({
    row,
    text: row.textContent.toLowerCase(),
    outcome: row.dataset.outcome,
  }));
  if (!rows.length) return;

  const form = document.createElement("form");
  form.className = "filter";
  form.setAttribute("role", "search");
  const label = document.createElement("label");
  const text = document.createElement("input");
  text.type = "search";
  label.append("Filter ", text);
  const count = document.createElement("output");
  // Layout of ten thousand rows takes seconds, and a reader looks at a few.
  let most = 500;
  const more = button("Show all of them", () => {
    most = Infinity;
    show();
  });
  const reset = button("Clear the filter", () => {
    text.value = "";
    wanted.clear();
    show();
  });
  form.append(label, count, more, reset);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", show);
  window.addEventListener("beforeprint", () => more.click());
  table.before(form);

  // Each entry of the legend shows its outcome alone, or together with others.
  const wanted = new Set();
  const choices = Array.from(document.querySelectorAll(".legend li"), (entry) => {
    const choice = button("", () => {
      const { outcome } = entry.dataset;
      if (!wanted.delete(outcome)) wanted.add(outcome);
      show();
    });
    choice.append(...entry.childNodes);
    entry.append(choice);
    return { choice, outcome: entry.dataset.outcome };
  });

  for (const [column, cell] of Array.from(table.tHead.rows[0].cells).entries()) {
    const sorting = button(cell.textContent, () => sort(column, cell));
    cell.replaceChildren(sorting);
  }
  show();

  function button(content, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = content;
    made.addEventListener("click", action);
    return made;
  }

  function show() {
    const words = text.value.toLowerCase();
    let found = 0;
    for (const each of rows) {
      const matches = (!wanted.size || wanted.has(each.outcome))
        && each.text.includes(words);
      found += matches ? 1 : 0;
      each.row.hidden = !matches || found > most;
    }
    for (const { choice, outcome } of choices) {
      choice.setAttribute("aria-pressed", String(wanted.has(outcome)));
    }
    const first = found > most ? `, the first ${most} of them shown` : "";
    count.textContent = found
      ? `${found} of ${rows.length}${first}`
      : `No match among ${rows.length}`;
    more.hidden = found <= most;
    reset.hidden = !wanted.size && !words;
  }

  function sort(column, cell) {
    const descending = cell.getAttribute("aria-sort") === "ascending";
    for (const other of cell.parentElement.cells) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const sign = descending ? -1 : 1;
    const compare = new Intl.Collator(undefined, { numeric: true }).compare;
    for (const each of rows) {
      const { dataset, textContent } = each.row.cells[column];
      each.key = textContent.trim();
      each.number = Number(dataset.sort ?? NaN);
    }
    rows.sort((a, b) => {
      // Empty cells come last, in both directions.
      const empty = (a.key === "") - (b.key === "");
      const difference = a.number - b.number;
      return empty || sign * (
        Number.isNaN(difference) ? compare(a.key, b.key) : difference
      );
    });
    // Out of the page meanwhile, so that the browser lays it out once.
    body.remove();
    body.append(...rows.map((each) => each.row));
    show();
    table.append(body);
  }
})();
