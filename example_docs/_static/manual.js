document.addEventListener("DOMContentLoaded", () => {
  // Code that is wider than its page can be scrolled with the keyboard. Some browsers see
  // to that by themselves.
  for (const code of document.querySelectorAll(".highlight pre")) {
    if (code.scrollWidth > code.clientWidth) {
      code.tabIndex = 0;
      code.setAttribute("role", "group");
      code.setAttribute("aria-label", "Code");
    }
  }
  // The theme has two landmarks of one kind, and names neither.
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "Manual");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "This page");
});
