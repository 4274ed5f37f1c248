document.addEventListener("DOMContentLoaded", () => {
  // What is wider than its page can be scrolled with the keyboard. Some browsers see to
  // that by themselves.
  const names = { ".highlight pre": "Code", ".table-wrapper": "Table" };
  for (const [selector, name] of Object.entries(names)) {
    for (const wide of document.querySelectorAll(selector)) {
      if (wide.scrollWidth > wide.clientWidth) {
        wide.tabIndex = 0;
        wide.setAttribute("role", "group");
        wide.setAttribute("aria-label", name);
      }
    }
  }
  // The theme has two landmarks of one kind, and names neither.
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "Manual");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "This page");
});
