// A conversation with one agent over its public address: sends what was said, shows the stream.
(() => {
  const body = document.body;
  const log = document.querySelector("#log");
  const form = document.querySelector("#form");
  const field = document.querySelector("#text");
  const said = [];
  const MOST = 100; // messages the address takes
  let conversation = null;
  let busy = false;

  function bubble(role, text = "") {
    document.querySelector("#start")?.remove();
    const box = document.createElement("p");
    box.className = `bubble bubble--${role}`;
    box.dir = "auto";
    box.textContent = text;
    log.append(box);
    log.scrollTop = log.scrollHeight;
    return box;
  }

  async function reasonOf(answer) {
    if (answer.status === 429) {
      return `That was quick. Try again in ${answer.headers.get("Retry-After") ?? "a few"} seconds.`;
    }
    try { return (await answer.json()).error; } catch { return "The agent cannot answer now. Try again later."; }
  }

  async function turn(text) {
    said.push({ role: "user", content: text });
    bubble("user", text);
    const reply = bubble("assistant");
    reply.classList.add("is-waiting");
    try {
      const request = { messages: said.slice(-MOST) };
      if (conversation) request.conversationId = conversation;
      if (window.parent !== window) request.embed = true;
      const answer = await fetch(body.dataset.chat, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(request),
      });
      if (!answer.ok) throw new Error(await reasonOf(answer));
      conversation = answer.headers.get("x-conversation-id") ?? conversation;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        reply.textContent += part.value;
        log.scrollTop = log.scrollHeight;
      }
      said.push({ role: "assistant", content: reply.textContent.slice(0, 2000) });
    } catch (error) {
      if (reply.textContent) said.push({ role: "assistant", content: reply.textContent.slice(0, 2000) });
      else { reply.remove(); said.pop(); field.value ||= text; }
      bubble("error", error instanceof TypeError ? "No connection. Try again." : error.message);
    } finally {
      reply.classList.remove("is-waiting");
    }
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text || busy) return;
    busy = true;
    field.value = "";
    await turn(text);
    busy = false;
    field.focus();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  field.focus();
})();
