// A conversation with one agent over its public address: sends what was said, shows the stream.
// The thread lives as long as the tab; in a frame of another site it is that site's alone.
(() => {
  const body = document.body;
  const at = (id) => document.getElementById(id);
  const [log, form, field, news, trouble, shut] = ["log", "form", "text", "news", "trouble", "shut"].map(at);
  const start = at("start");
  const name = body.dataset.agentName;
  const PLACE = `keepsake:${body.dataset.agent}`;
  const MOST = 100; // messages the address takes
  const LONGEST = 2000; // characters of one
  const IDLE = 30 * 60 * 1000; // after this long somebody else may sit here: nothing is brought back
  const framed = window.parent !== window;
  let said = [];
  let conversation = null;
  let stop = null; // ends the reply that is being read

  function keep() {
    const thread = { said: said.slice(-MOST), conversation, at: Date.now() };
    try { sessionStorage.setItem(PLACE, JSON.stringify(thread)); } catch { /* for this page only */ }
  }

  function bring() {
    let thread = null;
    try { thread = JSON.parse(sessionStorage.getItem(PLACE)); } catch { /* nothing kept */ }
    if (!thread || Date.now() - thread.at > IDLE) return;
    ({ said, conversation } = thread);
    for (const { role, content } of said) bubble(role, content);
  }

  function bubble(role, text = "") {
    start.remove();
    const turn = document.createElement("div");
    turn.className = "said";
    const who = document.createElement("span");
    who.className = "sr";
    who.textContent = role === "user" ? "You:" : `${name}:`;
    const box = document.createElement("p");
    box.className = `bubble bubble--${role}`;
    box.dir = "auto";
    box.textContent = text;
    turn.append(who, box);
    log.append(turn);
    log.scrollTop = log.scrollHeight;
    return box;
  }

  function complain(text) {
    trouble.replaceChildren();
    if (!text) return;
    const box = document.createElement("p");
    box.className = "trouble";
    box.textContent = text;
    trouble.append(box);
  }

  async function reasonOf(answer) {
    if (answer.status === 429) {
      const wait = Number(answer.headers.get("Retry-After")) || 0;
      const when = wait ? `${wait} ${wait === 1 ? "second" : "seconds"}` : "a moment";
      return `That was a lot at once. Please try again in ${when}; your message is still here.`;
    }
    if (answer.status === 404) return "This agent is no longer here.";
    try {
      const { error } = await answer.json();
      if (answer.status === 400) return `That could not be sent: ${error}.`;
    } catch { /* not ours: a proxy's page */ }
    return "The agent cannot answer now. Please try again later; your message is still here.";
  }

  async function read(answer, reply) {
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // Whoever has scrolled up to read stays there.
      const follows = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
      reply.textContent += decoder.decode(part.value, { stream: true });
      if (follows) log.scrollTop = log.scrollHeight;
    }
    reply.textContent += decoder.decode();
  }

  async function turn(text) {
    complain("");
    said.push({ role: "user", content: text });
    const mine = bubble("user", text);
    const reply = bubble("assistant");
    reply.classList.add("is-waiting");
    news.textContent = `${name} is answering.`;
    stop = new AbortController();
    const { signal } = stop;
    try {
      const request = { messages: said.slice(-MOST) };
      if (conversation) request.conversationId = conversation;
      if (framed) request.embed = true;
      const answer = await fetch(body.dataset.chat, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(request),
        signal,
      });
      if (!answer.ok) throw new Error(await reasonOf(answer));
      conversation = answer.headers.get("x-conversation-id") ?? conversation;
      await read(answer, reply);
    } catch (error) {
      if (signal.aborted) { if (signal.reason === "gone") return; }
      else if (error instanceof TypeError) {
        complain(reply.textContent
          ? "The connection broke off; this is what had come so far."
          : "No connection. Please try again; your message is still here.");
      } else complain(error.message);
    } finally { stop = null; reply.classList.remove("is-waiting"); }
    if (reply.textContent) {
      said.push({ role: "assistant", content: reply.textContent.slice(0, LONGEST) });
      news.textContent = `${name}: ${reply.textContent}`;
    } else {
      mine.parentElement.remove();
      reply.parentElement.remove();
      said.pop();
      field.value ||= text;
      news.textContent = "";
      if (!log.children.length) log.append(start);
    }
    keep();
  }

  const send = form.querySelector("button");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (stop) { // the button says Stop; Enter waits
      if (event.submitter === send) stop.abort("stopped");
      return;
    }
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    send.textContent = "Stop";
    form.noValidate = true; // an empty field must not keep anybody from stopping
    await turn(text);
    send.textContent = "Send";
    form.noValidate = false;
    if (document.activeElement === send || document.activeElement === body) field.focus();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (!stop) form.requestSubmit();
    }
  });
  at("again").addEventListener("click", () => {
    stop?.abort("gone");
    [said, conversation] = [[], null];
    try { sessionStorage.removeItem(PLACE); } catch { /* nothing kept */ }
    complain("");
    log.replaceChildren(start);
    news.textContent = "A new conversation.";
    field.focus();
  });

  // In a launcher's frame: the page around it opens and closes us. It learns nothing else.
  const tell = (what) => window.parent.postMessage({ keepsake: what }, "*");
  const close = () => tell("close");
  shut.addEventListener("click", close);
  if (framed) {
    window.addEventListener("message", (event) => {
      if (event.source !== window.parent || event.data?.keepsake !== "opened") return;
      if (shut.hidden) tell("ready");
      shut.hidden = false;
      if (!document.querySelector("dialog[open]")) field.focus();
    });
    document.addEventListener("keydown", (event) => {
      const busy = event.isComposing || document.querySelector("dialog[open]");
      if (event.key === "Escape" && !busy && !event.defaultPrevented) close();
    });
  }
  bring();
  if (!framed) field.focus();
})();
