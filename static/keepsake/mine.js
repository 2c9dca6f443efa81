// "What do you remember about me?": a visitor sees, deletes, downloads and switches off.
(() => {
  const body = document.body;
  const at = (id) => document.getElementById(id);
  const view = at("mine");
  const [title, list, more, news, trouble, intro] =
    ["mine-title", "mine-list", "mine-more", "mine-news", "mine-trouble", "mine-intro"].map(at);
  const switches = ["auto_capture_enabled", "use_memory_in_responses"].map(at);
  const framed = window.parent !== window;
  let remembers = true;
  let asked = 0; // only the latest opening fills the list

  function complain(text) {
    trouble.replaceChildren();
    if (!text) return;
    const box = document.createElement("p");
    box.className = "trouble";
    box.textContent = text;
    trouble.append(box);
  }

  async function ask(what, request = {}) {
    let answer;
    try {
      answer = await fetch(body.dataset.me + what, {
        method: "POST",
        headers: { "Content-Type": "application/json", "x-keepsake-widget": "1" },
        body: JSON.stringify(request),
      });
    } catch { throw new Error("No connection. Please try again."); }
    if (answer.ok) return answer;
    if (answer.status === 429) {
      const wait = answer.headers.get("Retry-After") ?? "a few";
      throw new Error(`That was a lot at once. Please try again in ${wait} seconds.`);
    }
    const fault = new Error("That did not work. Please try again later.");
    fault.status = answer.status;
    throw fault;
  }

  function introduce() {
    const any = list.children.length > 0;
    if (any) intro.textContent = "This is what I know about you. The people who run this service can see it too.";
    else if (remembers) intro.textContent = "I remember nothing about you yet.";
    else intro.textContent = "I remember nothing about you. My memory is switched off.";
  }

  function show({ id, text, about, everywhere, since }) {
    const row = at("memory").content.cloneNode(true).firstElementChild;
    const part = (name) => row.querySelector(`.memory__${name}`);
    part("text").textContent = text;
    part("text").id = `memory-${id}`;
    const when = new Date(since).toLocaleDateString(undefined, { dateStyle: "medium" });
    part("about").textContent = [about, everywhere ? "known to all agents here" : "", when].filter(Boolean).join(" · ");
    for (const name of ["delete", "yes"]) part(name).setAttribute("aria-describedby", `memory-${id}`);
    const sure = part("sure");
    const unsure = () => { sure.hidden = true; part("delete").hidden = false; part("delete").focus(); };
    part("delete").addEventListener("click", () => {
      part("delete").hidden = true;
      sure.hidden = false;
      part("no").focus(); // the harmless one
      row.scrollIntoView({ block: "nearest" });
    });
    part("no").addEventListener("click", unsure);
    sure.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault(); // the view itself stays open
      event.stopPropagation();
      unsure();
    });
    part("yes").addEventListener("click", async () => {
      const button = part("yes");
      if (button.getAttribute("aria-busy") === "true") return;
      button.setAttribute("aria-busy", "true");
      complain("");
      try { await ask("forget", { id }); } catch (error) {
        if (error.status !== 404) { button.removeAttribute("aria-busy"); return complain(error.message); }
      } // 404: it is gone already
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      introduce();
      news.textContent = "Deleted for good.";
      (next?.querySelector(".memory__delete:not([hidden])") ?? title).focus();
    });
    list.append(row);
  }

  async function load(after) {
    const mine = ++asked;
    try {
      const page = await (await ask("memories", after ? { after } : {})).json();
      if (mine !== asked) return;
      page.memories.forEach(show);
      more.hidden = !page.more;
      more.dataset.after = page.memories.at(-1)?.id ?? "";
      remembers = page.remembers;
      for (const each of switches) each.checked = page.settings[each.id];
      introduce();
    } catch (error) {
      if (mine !== asked) return;
      if (!after) intro.textContent = "";
      complain(error.message);
    }
  }

  at("mine-open").addEventListener("click", () => {
    list.replaceChildren();
    more.hidden = true;
    complain("");
    intro.textContent = "One moment …";
    view.showModal();
    title.focus();
    load();
  });
  at("mine-shut").addEventListener("click", () => view.close());
  more.addEventListener("click", async () => {
    const last = list.lastElementChild;
    complain("");
    await load(more.dataset.after);
    (last?.nextElementSibling?.querySelector(".memory__delete") ?? title).focus();
  });
  for (const each of switches) {
    each.addEventListener("change", async () => {
      const wanted = each.checked;
      complain("");
      try {
        await ask("settings", { [each.id]: wanted, ...(framed ? { embed: true } : {}) });
        news.textContent = "Saved.";
      } catch (error) {
        each.checked = !wanted;
        complain(error.message);
      }
    });
  }
  at("mine-file").addEventListener("click", async () => {
    complain("");
    try {
      const file = await (await ask("export")).blob();
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = `memory-${new Date().toISOString().slice(0, 10)}.json`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      news.textContent = "Downloaded.";
    } catch (error) {
      complain(error.status === 404 ? "Nothing is kept about you." : error.message);
    }
  });
})();
