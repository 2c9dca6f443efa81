// Every 2 s: which of the cards on this page did a colleague decide or add to? Those are fetched
// again and put in their own place, no lower than they stood, so nothing moves under the cursor.
(() => {
  const queue = document.querySelector("[data-queue]");
  if (!queue || !window.htmx) return;
  const version = (card) => card.querySelector("[name=version]")?.value;
  const busy = (card) => card.matches(".htmx-request, :has(.htmx-request, form[data-editing])");

  async function look() {
    if (document.hidden) return;
    const cards = [...queue.querySelectorAll("[data-card][data-state=pending]")].filter(
      (card) => version(card) && !busy(card),
    );
    if (!cards.length) return;
    const ids = cards.map((card) => `${card.dataset.card}:${version(card)}`).join(",");
    const answer = await fetch(`${queue.dataset.state}?ids=${ids}`);
    if (!answer.ok) return;
    const { changed } = await answer.json();
    for (const card of cards) {
      if (!(card.dataset.card in changed) || !card.isConnected || busy(card)) continue;
      const part = await fetch(card.dataset.fresh ?? card.querySelector("a.key").href, { headers: { "HX-Request": "true" } });
      if (!part.ok || busy(card)) continue;
      const box = document.createElement("template");
      box.innerHTML = await part.text();
      const fresh = box.content.querySelector("[data-card]");
      if (!fresh || !card.isConnected) continue;
      fresh.style.minHeight = `${card.getBoundingClientRect().height}px`;
      if (card.hasAttribute("aria-current")) fresh.setAttribute("aria-current", "true");
      card.replaceWith(fresh);
      document.dispatchEvent(new CustomEvent("keepsake:replaced", { detail: { was: card, now: fresh } }));
      htmx.process(fresh);
    }
  }

  const again = () => setTimeout(() => look().catch(() => {}).finally(again), 2000);
  again();
})();
