// The accent colour of an embedded conversation, before the first paint: set by script, so that
// the page needs no inline style. The server let nothing but #rrggbb through.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const accent = root.dataset.accent ?? "";
  if (!/^#[0-9a-f]{6}$/.test(accent)) return;
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(accent.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  // White or black on it, whichever stands out more; a step away from that when pointed at.
  const isLight = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  const [ink, away] = isLight ? ["#000000", "white"] : ["#ffffff", "black"];
  root.style.setProperty("--accent", accent);
  root.style.setProperty("--on-accent", ink);
  root.style.setProperty("--accent-strong", `color-mix(in srgb, ${accent} 85%, ${away})`);
})();
