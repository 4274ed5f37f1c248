
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
  const text = labelled("Filter ", document.createElement("input"));
  text.type = "search";
  const outcome = labelled("Outcome ", document.createElement("select"));
  outcome.add(new Option("all", ""));
  for (const row of rows) {
    const name = row.outcome;
    if (!Array.from(outcome.options).some((option) => option.value === name)) {
      outcome.add(new Option(row.row.querySelector(".outcome").textContent, name));
    }
  }
  const count = document.createElement("output");
  // A browser takes seconds to lay out ten thousand rows; one look takes in a few.
  let most = 500;
  const more = document.createElement("button");
  more.type = "button";
  more.textContent = "Show all of them";
  more.addEventListener("click", () => {
    most = Infinity;
    show();
    more.remove();
  });
  form.append(count, more);
  window.addEventListener("beforeprint", () => more.click());
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", show);
  table.parentElement.before(form);

  for (const [column, cell] of Array.from(table.tHead.rows[0].cells).entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = cell.textContent;
    button.addEventListener("click", () => sort(column, cell));
    cell.replaceChildren(button);
  }
  show();

  function labelled(words, control) {
    const label = document.createElement("label");
    label.append(words, control);
    form.append(label);
    return control;
  }

  function show() {
    const wanted = text.value.toLowerCase();
    let found = 0;
    for (const each of rows) {
      const matches = (outcome.value === "" || each.outcome === outcome.value)
        && each.text.includes(wanted);
      found += matches ? 1 : 0;
      each.row.hidden = !matches || found > most;
    }
    const first = found > most ? `, the first ${most} of them shown` : "";
    count.textContent = `${found} of ${rows.length}${first}`;
    more.hidden = found <= most;
  }

  function sort(column, cell) {
    const descending = cell.getAttribute("aria-sort") === "ascending";
    for (const other of cell.parentElement.cells) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const sign = descending ? -1 : 1;
    const compare = new Intl.Collator(undefined, { numeric: true }).compare;
    for (const each of rows) {
      const { dataset, textContent } = each.row.cells[column];
      each.key = textContent;
      each.number = Number(dataset.sort ?? NaN);
    }
    rows.sort((a, b) => {
      // What has nothing to say comes last, either way round.
      const empty = (a.key === "") - (b.key === "");
      const difference = a.number - b.number;
      return empty || sign * (
        Number.isNaN(difference) ? compare(a.key, b.key) : difference
      );
    });
    // Out of the page while it is put in order: that is done once, not for each row.
    body.remove();
    body.append(...rows.map((each) => each.row));
    show();
    table.append(body);
  }
})();
