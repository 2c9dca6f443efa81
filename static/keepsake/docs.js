// The page's theme, told to Swagger UI in its own word, a class on the root.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const tell = () => {
    const wanted = root.dataset.theme === "auto" ? dark.matches : root.dataset.theme === "dark";
    root.classList.toggle("dark-mode", wanted);
  };
  tell();
  dark.addEventListener("change", tell);
  new MutationObserver(tell).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
})();
