// Every 3 s: was anything written about the persons on this page? Then its lists are fetched again
// and put in place, unless somebody is at work in one: nothing moves under the cursor. A note at
// the edge of the window, which moves nothing either, then offers to show what is new.
(() => {
  const EVERY = 3000;
  let note = null;

  const lists = () => [...document.querySelectorAll("[data-following]")];
  const isBusy = (list) =>
    list.matches(":hover, :has(:focus), :has([data-verb][open]), :has(.htmx-request)");

  function offer() {
    if (note) return;
    note = document.createElement("button");
    note.type = "button";
    note.className = "button follow-note";
    note.textContent = "Something was written meanwhile: show it";
    note.addEventListener("click", () => show(true).catch(() => {}));
    document.body.append(note);
  }

  async function show(isAsked = false) {
    if (!isAsked && lists().some(isBusy)) return offer();
    const answer = await fetch(location.href, { headers: { "X-Requested-With": "fetch" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const state = fresh.querySelector("[data-follow]")?.dataset.state;
    const region = document.querySelector("[data-follow]");
    if (!region || state === undefined) return;
    if (!isAsked && lists().some(isBusy)) return offer();
    for (const list of lists()) {
      const now = fresh.getElementById(list.id);
      if (!now || now.innerHTML === list.innerHTML) continue;
      const copy = document.importNode(now, true);
      list.replaceWith(copy);
      window.htmx?.process(copy);
    }
    region.dataset.state = state;
    region.dataset.follow = fresh.querySelector("[data-follow]").dataset.follow;
    note?.remove();
    note = null;
  }

  async function look() {
    const region = document.querySelector("[data-follow]");
    if (!region || document.hidden) return;
    const answer = await fetch(region.dataset.follow);
    if (!answer.ok) return;
    const { state } = await answer.json();
    if (region.isConnected && state !== region.dataset.state) await show();
  }

  const again = () => setTimeout(() => look().catch(() => {}).finally(again), EVERY);
  again();
})();
