// Every 3 s: which of the cards on this page did a colleague decide or add to? Those are fetched
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
      const height = card.offsetHeight;
      await htmx.ajax("GET", card.querySelector("a.key").href, { target: card, swap: "outerHTML" });
      const fresh = queue.querySelector(`[data-card="${CSS.escape(card.dataset.card)}"]`);
      if (fresh) fresh.style.minHeight = `${height}px`;
    }
  }

  const again = () => setTimeout(() => look().catch(() => {}).finally(again), 2500);
  again();
})();
