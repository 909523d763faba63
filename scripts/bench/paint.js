// Runs in a page that is measured: `beforePaint(look)` calls `look` right before each frame is painted, until it returns
// true. Resize observers run after everything that draws.
export function watchFrames() {
  window.beforePaint = (look) => {
    const probe = document.body.appendChild(document.createElement("div"));
    probe.style.cssText = "position:fixed;height:1px;width:1px";
    const observer = new ResizeObserver(() => {
      if (!look()) return;
      observer.disconnect();
      probe.remove();
    });
    observer.observe(probe);
    const frame = () => {
      if (!probe.isConnected) return;
      probe.style.width = probe.style.width === "1px" ? "2px" : "1px";
      requestAnimationFrame(frame);
    };
    frame();
  };
}
