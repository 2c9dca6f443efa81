// Keys for the queue. A key presses a button that is on the page, so it acts on the id and
// version that were shown; htmx puts the answer in the card's place.
(() => {
  const all = (what) => [...document.querySelectorAll(what)];
  const cards = () => all("[data-card]");
  const pending = () => cards().filter((card) => card.dataset.state === "pending");
  let current = null; // the id of the card that keys act on
  const decided = []; // ids decided on this page, the latest last

  const find = (id) => document.querySelector(`[data-card="${CSS.escape(String(id))}"]`);
  const card = () => (current === null ? null : find(current));

  function choose(next, { focus = true } = {}) {
    if (!next) return;
    cards().forEach((one) => one.removeAttribute("aria-current"));
    current = next.dataset.card;
    next.setAttribute("aria-current", "true");
    if (!focus) return;
    next.focus({ preventScroll: true });
    const box = next.getBoundingClientRect();
    const top = document.querySelector(".top")?.offsetHeight ?? 0;
    if (box.top < top + 8 || box.bottom > innerHeight) {
      scrollBy({ top: box.top - top - 14, behavior: "instant" });
    }
  }

  function move(step) {
    const list = cards();
    const here = card();
    choose(here ? list[list.indexOf(here) + step] : list[0]);
  }

  const press = (selector) => {
    const button = card()?.querySelector(selector);
    if (button) button.click();
    return Boolean(button);
  };
  const rejecting = () => card()?.querySelector("[data-reject][open]");

  const keys = {
    j: () => move(1),
    k: () => move(-1),
    a: () => press("[data-approve] button"),
    b: () => press("[data-keep] button"),
    e: () => press("[data-edit]"),
    r: () => {
      const open = rejecting();
      if (open) return open.querySelector("form button").click();
      const box = card()?.querySelector("[data-reject]");
      if (box) box.open = true;
    },
    o: () => rejecting()?.querySelector("[name=other]").focus(),
    u: () => {
      const last = [...decided].reverse().map(find).find((one) => one?.querySelector("[data-undo]"));
      if (last) { choose(last, { focus: false }); last.querySelector("[data-undo] button").click(); }
    },
    Enter: () => document.activeElement === card() && press("[data-open]"),
    n: () => document.querySelector("[data-next]")?.click(),
    "/": () => document.querySelector("#q")?.focus(),
    "?": () => document.querySelector("#keys")?.showModal(),
  };
  for (const number of ["1", "2", "3", "4"]) {
    keys[number] = () => rejecting()?.querySelectorAll("form button")[Number(number)].click();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const open = rejecting();
      if (open) { open.open = false; card().focus(); }
      else if (event.target.closest?.("[data-edit-form]")) press("[data-cancel]");
      return;
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.target.closest?.("[data-edit-form]")?.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && !"jk".includes(event.key)) return;
    if (event.target.closest?.("input, textarea, select, dialog[open]")) return;
    if (event.key === "Enter" && document.activeElement !== card()) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-help]")) return keys["?"]();
    const on = event.target.closest("[data-card]");
    if (on && on.dataset.card !== current) choose(on, { focus: false });
  });

  // How many wait: the numbers on the page follow each decision, a lane's own included.
  const laneOf = new Map(cards().map((one) => [one.dataset.card, one.dataset.lane]));
  document.addEventListener("keepsake:replaced", ({ detail: { was, now } }) => {
    const step = (now.dataset.state === "pending") - (was.dataset.state === "pending");
    const lane = laneOf.get(was.dataset.card);
    laneOf.set(now.dataset.card, lane);
    if (!step) return;
    for (const place of all("[data-waiting]")) {
      if (place.dataset.waiting && place.dataset.waiting !== lane) continue;
      place.textContent = String(Math.max(0, Number(place.textContent) + step));
    }
  });
  const replaced = (was, now) =>
    document.dispatchEvent(new CustomEvent("keepsake:replaced", { detail: { was, now } }));
  let before = null; // the card whose place an answer is about to take
  document.addEventListener("htmx:beforeSwap", (event) => {
    before = event.detail.target.matches?.("[data-card]") ? event.detail.target : null;
  });

  // One answer at a time a card: a second press while the first is under way does nothing.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const on = event.target.closest("[data-card]");
    if (on?.hasAttribute("aria-busy")) event.preventDefault();
    else on?.setAttribute("aria-busy", "true");
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    event.target.closest?.("[data-card]")?.removeAttribute("aria-busy");
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    const now = event.target.closest?.("[data-card]");
    if (!now || event.target.closest("[data-tried]")) return;
    if (before) replaced(before, now);
    before = null;
    const field = now.querySelector("[data-edit-form] textarea");
    if (field) { choose(now, { focus: false }); return field.focus(); }
    if (now.dataset.state === "pending" || now.querySelector("[role=alert]")) return choose(now);
    decided.push(now.dataset.card);
    const list = cards();
    const after = list.slice(list.indexOf(now)).find((one) => one.dataset.state === "pending");
    choose(after ?? pending()[0] ?? now);
  });
  for (const fault of ["htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(fault, (event) => {
      const notice = document.createElement("p");
      notice.className = "notice notice--error";
      notice.setAttribute("role", "alert");
      notice.textContent = "No answer from the server. Load the page again to see what was decided.";
      (event.target.closest?.("[data-card]") ?? document.querySelector("#messages")).prepend(notice);
    });
  }

  const start = pending()[0] ?? cards()[0];
  if (start) choose(start, { focus: false });
})();
