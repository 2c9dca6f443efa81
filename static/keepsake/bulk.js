// Sends what is ticked, a batch at a time, and writes each item's own result beside it. Without
// this script the form posts once and the answer is a page.
(() => {
  const form = document.querySelector("form[data-bulk]");
  if (!form) return;
  const bar = form.querySelector("progress");
  const told = form.querySelector("[data-told]");
  const row = (id) => form.querySelector(`[data-item="${CSS.escape(String(id))}"]`);

  const chosen = form.querySelector("[data-chosen]");
  const count = () => {
    const most = form.querySelectorAll("input[name=item]:checked").length;
    if (chosen) chosen.textContent = `the ${most} chosen`;
  };
  form.addEventListener("change", count);
  count();

  async function send(items) {
    const body = new URLSearchParams(items.map((item) => ["item", item]));
    body.append("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(String(answer.status));
    return (await answer.json()).results;
  }

  function show({ id, ok, detail }) {
    const item = row(id);
    item.dataset.done = ok ? "yes" : "no";
    item.querySelector(".alike__result").textContent = ok ? "approved" : detail;
    const box = item.querySelector("input");
    box.checked = false;
    box.disabled = ok;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const picked = [...form.querySelectorAll("input[name=item]:checked")].map((box) => box.value);
    const size = Number(form.dataset.bulk);
    const button = form.querySelector("button[type=submit]");
    button.disabled = true;
    bar.hidden = false;
    bar.max = Math.max(picked.length, 1);
    let done = 0;
    let approved = 0;
    try {
      for (let at = 0; at < picked.length; at += size) {
        const results = await send(picked.slice(at, at + size));
        results.forEach(show);
        approved += results.filter((result) => result.ok).length;
        bar.value = done += results.length;
        told.textContent = `${approved} of ${picked.length} approved`;
      }
      if (!picked.length) told.textContent = "Nothing is chosen.";
    } catch (error) {
      told.textContent = `${approved} approved, then the server did not answer (${error.message}). What is not marked was not touched.`;
    }
    button.disabled = false;
    count();
  });
})();
