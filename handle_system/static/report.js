
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
  form.append(count);
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
    let shown = 0;
    for (const each of rows) {
      const hidden = (outcome.value !== "" && each.outcome !== outcome.value)
        || !each.text.includes(wanted);
      each.row.hidden = hidden;
      shown += hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${rows.length}`;
  }

  function sort(column, cell) {
    const descending = cell.getAttribute("aria-sort") === "ascending";
    for (const other of cell.parentElement.cells) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const sign = descending ? -1 : 1;
    const compare = new Intl.Collator(undefined, { numeric: true }).compare;
    rows.sort((a, b) => {
      const [one, two] = [a.row.cells[column], b.row.cells[column]];
      // What has nothing to say comes last, either way round.
      const empty = (one.textContent === "") - (two.textContent === "");
      return empty || sign * (
        one.dataset.sort && two.dataset.sort
          ? one.dataset.sort - two.dataset.sort
          : compare(one.textContent, two.textContent)
      );
    });
    body.append(...rows.map((each) => each.row));
  }
})();
