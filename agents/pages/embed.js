// Keepsake's launcher. In a page:
//   <script src="https://keepsake.example/embed.js" data-agent-id="…" async></script>
// and, if wanted, data-position="bottom-right|bottom-left", data-theme="auto|light|dark",
// data-accent-color="#rrggbb". The conversation is loaded at the first click, not before.
(() => {
  "use strict";
  const script = document.currentScript;
  if (!script) return console.warn("Keepsake: embed.js is a classic script, not a module.");
  const asked = script.dataset;
  const one = (value, ...among) => (among.includes(value) ? value : among[0]);
  const id = asked.agentId ?? "";
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
    return console.warn("Keepsake: data-agent-id has to be the agent's UUID.");
  }
  const position = one(asked.position, "bottom-right", "bottom-left");
  const theme = one(asked.theme, "auto", "light", "dark");
  const given = asked.accentColor ?? "";
  const accent = /^#[0-9a-f]{6}$/i.test(given) ? given.toLowerCase() : "#0f5f58";
  if (given && accent !== given.toLowerCase()) {
    console.warn("Keepsake: data-accent-color has to be #rrggbb.");
  }
  const address = new URL(`widget/${id}/`, script.src);
  address.searchParams.set("theme", theme);
  if (given && accent === given.toLowerCase()) address.searchParams.set("accent", accent);
  const OPENED = "keepsake:opened"; // so that two in one corner are not open at once

  // White or black, whichever stands out more.
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(accent.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const ink = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";

  function start() {
    const side = position === "bottom-left" ? "left" : "right";
    const before = document.querySelectorAll(`keepsake-launcher[data-side="${side}"]`).length;
    const host = document.createElement("keepsake-launcher");
    host.dataset.side = side;
    const root = host.attachShadow({ mode: "open" });
    const up = 20 + before * 68;

    // A sheet made by a script needs no leave of the page's own policy, and meets none of its rules.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
      :host { all: initial !important; position: fixed !important; ${side}: 20px !important;
        bottom: ${up}px !important; z-index: 2147483000 !important; display: block !important; }
      button { all: unset; box-sizing: border-box; display: grid; place-items: center; width: 56px;
        height: 56px; border-radius: 50%; background: ${accent}; color: ${ink}; cursor: pointer;
        box-shadow: 0 0 0 1px #ffffff59, 0 2px 6px #0003, 0 8px 24px #0003; }
      button:hover { filter: brightness(1.08); }
      button:focus-visible { outline: 3px solid #0b6bcb; outline-offset: 3px;
        box-shadow: 0 0 0 3px #fff, 0 2px 6px #0003; }
      svg { width: 26px; height: 26px; fill: none; stroke: currentColor; stroke-width: 2;
        stroke-linecap: round; stroke-linejoin: round; }
      [aria-expanded="true"] .shut, [aria-expanded="false"] .open { display: none; }
      .panel { position: fixed; ${side}: 20px; bottom: ${up + 72}px;
        width: min(400px, calc(100vw - 40px)); height: min(620px, calc(100vh - ${up + 92}px));
        height: min(620px, calc(100dvh - ${up + 92}px));
        border-radius: 14px; overflow: hidden; background: Canvas;
        box-shadow: 0 0 0 1px #0000001f, 0 12px 48px #00000047; }
      .panel[hidden] { display: none; }
      iframe { display: block; width: 100%; height: 100%; border: 0; color-scheme: light dark; }
      @media (max-width: 480px), (max-height: 420px) {
        .panel { inset: 0; width: auto; height: auto; border-radius: 0; }
        .panel.is-ready:not([hidden]) + button { display: none; } /* it has its own way out */
      }
      @media (prefers-reduced-motion: no-preference) {
        .panel { animation: rise 140ms ease-out; }
        @keyframes rise { from { opacity: 0; transform: translateY(8px); } }
      }
      @media (forced-colors: active) { button { border: 2px solid ButtonText; } }
      @media print { :host { display: none !important; } }`);
    root.adoptedStyleSheets = [sheet];

    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", "Chat");
    button.setAttribute("aria-haspopup", "dialog");
    button.setAttribute("aria-expanded", "false");
    const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    drawn.setAttribute("viewBox", "0 0 24 24");
    drawn.setAttribute("aria-hidden", "true");
    const line = (kind, d) => {
      const path = document.createElementNS(drawn.namespaceURI, "path");
      path.setAttribute("class", kind);
      path.setAttribute("d", d);
      drawn.append(path);
    };
    line("shut", "M20 11.5a7.5 7.5 0 0 1-7.5 7.5c-1.3 0-2.5-.3-3.6-.9L4 19.5l1.4-4.4A7.5 7.5 0 1 1 20 11.5z");
    line("open", "m6.5 9.5 5.5 5.5 5.5-5.5");
    button.append(drawn);

    const panel = document.createElement("div");
    panel.className = "panel";
    panel.hidden = true;
    panel.setAttribute("role", "dialog");
    panel.setAttribute("aria-label", "Chat");
    root.append(panel, button); // the keyboard meets the conversation before the way out of it
    document.body.append(host);

    let frame = null;
    let loaded = false;

    function greet() {
      frame.focus();
      if (loaded) frame.contentWindow.postMessage({ keepsake: "opened" }, address.origin);
    }
    function open() {
      if (!frame) {
        frame = document.createElement("iframe");
        frame.title = "Chat";
        frame.referrerPolicy = "strict-origin";
        frame.addEventListener("load", () => { loaded = true; if (!panel.hidden) greet(); });
        frame.src = address.href;
        panel.append(frame);
      }
      panel.hidden = false;
      button.setAttribute("aria-expanded", "true");
      document.dispatchEvent(new CustomEvent(OPENED, { detail: host }));
      greet();
    }
    function close({ back = true } = {}) {
      if (panel.hidden) return;
      panel.hidden = true;
      button.setAttribute("aria-expanded", "false");
      if (back) button.focus();
    }

    button.addEventListener("click", () => (panel.hidden ? open() : close()));
    host.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !panel.hidden) { event.stopPropagation(); close(); }
    });
    document.addEventListener(OPENED, (event) => {
      if (event.detail !== host && event.detail?.dataset?.side === side) close({ back: false });
    });
    // A key pressed in the frame stays in the frame, which therefore says that it wants to close.
    window.addEventListener("message", (event) => {
      const ours = frame && event.source === frame.contentWindow && event.origin === address.origin;
      if (!ours) return;
      if (event.data?.keepsake === "ready") panel.classList.add("is-ready");
      if (event.data?.keepsake === "close") close();
    });
  }

  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start, { once: true });
})();
