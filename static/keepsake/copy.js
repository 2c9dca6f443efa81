// "Copy" beside a text; where the clipboard is out of reach, the text is selected instead.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy);
    const said = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(text.textContent);
      said.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(text);
      said.textContent = "Selected: copy it with the keyboard.";
    }
  });
}
