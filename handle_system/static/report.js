(() => {
  "use strict";
  const table = document.getElementById("handles");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);

  const form = document.createElement("form");
  form.className = "filter";
  form.setAttribute("role", "search");
  const text = labelled("Filter ", document.createElement("input"));
  text.type = "search";
  const outcome = labelled("Outcome ", document.createElement("select"));
  outcome.add(new Option("all", ""));
  for (const name of new Set(rows.map((row) => row.dataset.outcome))) {
    outcome.add(new Option(name.replaceAll("-", " "), name));
  }
  const count = document.createElement("output");
  form.append(count);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", show);
  table.before(form);

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
    for (const row of rows) {
      const hidden = (outcome.value && row.dataset.outcome !== outcome.value)
        || !row.textContent.toLowerCase().includes(wanted);
      row.hidden = Boolean(hidden);
      shown += hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${rows.length}`;
  }

  function sort(column, cell) {
    const descending = cell.getAttribute("aria-sort") === "ascending";
    for (const other of cell.parentElement.cells) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const sign = descending ? -1 : 1;
    rows.sort((a, b) => sign * a.cells[column].textContent.localeCompare(b.cells[column].textContent));
    body.append(...rows);
  }
})();
