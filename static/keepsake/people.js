// What the pages of people's memories do beyond their forms: a counter under a text, Save only
// when it is long enough, switches that save themselves, forms that close, a key out of a link.
(() => {
  const LEAST = 10;
  const MOST = 2000;

  // A person's link carries the key behind the #: it is posted, and gone from the address.
  const enter = () => {
    const form = document.querySelector("[data-enter]");
    const key = location.hash.slice(1);
    if (!form || !key.startsWith("ksk_")) return;
    history.replaceState(null, "", location.pathname);
    form.elements.token.value = key;
    form.submit();
  };
  addEventListener("hashchange", enter);
  enter();

  function count(text) {
    const length = [...text.value.trim()].length; // characters as the server counts them
    const form = text.form;
    const says = text.closest(".field").querySelector("[data-count]");
    const missing = LEAST - length;
    says.classList.toggle("is-short", missing > 0 && length > 0);
    says.textContent =
      missing > 0 && length > 0 ? `${length} of at least ${LEAST} characters`
      : length > 0 ? `${length.toLocaleString("en")} of ${MOST.toLocaleString("en")} characters`
      : `at least ${LEAST} characters`;
    const save = form.querySelector("[data-save]");
    if (save) save.disabled = missing > 0 || length > MOST;
  }

  const countAll = () => document.querySelectorAll("[data-counted]").forEach(count);
  countAll();

  document.addEventListener("input", (event) => {
    if (event.target.matches?.("[data-counted]")) count(event.target);
  });
  document.addEventListener("change", (event) => {
    event.target.closest?.("form[data-auto]")?.requestSubmit();
  });
  document.addEventListener("focusin", (event) => {
    if (event.target.matches?.("[data-select]")) event.target.select();
  });

  function close(verb) {
    verb.open = false;
    verb.querySelector("summary").focus();
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-close]");
    if (button) close(button.closest("[data-verb]"));
  });
  document.addEventListener("keydown", (event) => {
    const verb = event.key === "Escape" && event.target.closest?.("[data-verb][open]");
    if (verb) close(verb);
  });
  document.addEventListener("toggle", (event) => {
    const verb = event.target;
    if (verb.matches?.("[data-verb][open]")) verb.querySelector("textarea, input:not([type=hidden])")?.focus();
  }, true);

  // After an answer: to the field that was refused, else to the list if what had the focus is gone.
  document.addEventListener("htmx:afterSettle", () => {
    countAll();
    const refused = document.querySelector("#region [aria-invalid=true]");
    if (refused) return refused.focus();
    if (document.activeElement === document.body) document.querySelector("#region [data-list]")?.focus({ preventScroll: true });
  });
  function say(text) {
    const notice = document.createElement("p");
    notice.className = "notice notice--error";
    notice.textContent = text;
    document.querySelector("#messages").replaceChildren(notice);
    scrollTo({ top: 0 });
  }
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (xhr.status !== 403 && xhr.status !== 404) return;
    event.detail.shouldSwap = false;
    say(xhr.status === 404 ? "It is no longer there. Load the page again to see what is."
      : "You may not do that here, or your session has ended. Load the page again.");
  });
  for (const fault of ["htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(fault, (event) => {
      const status = event.detail.xhr?.status;
      if (!status || status >= 500) say("No answer from the server. Load the page again to see what was saved.");
    });
  }
})();
