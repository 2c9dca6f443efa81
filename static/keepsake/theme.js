// The chosen look, before the first paint. The same name and values as the admin's own switch.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const read = () => { try { return localStorage.getItem("theme") || "auto"; } catch { return "auto"; } };
  root.dataset.theme = read();
  const say = (button) => button.setAttribute("aria-label", `Theme: ${root.dataset.theme}. Change`);
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-switch]");
    if (!button) return;
    say(button);
    button.addEventListener("click", () => {
      const order = ["auto", "light", "dark"];
      root.dataset.theme = order[(order.indexOf(root.dataset.theme) + 1) % 3];
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* for this page only */ }
      say(button);
    });
  });
})();
