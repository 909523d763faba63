// Runs in a page that is measured: `beforePaint(shows, done)` calls `done` once `shows` returns true, right before that is
// painted: after the change of the document that made it true, and its layout. It looks after each change and causes no
// frame by itself: one that the page would not have drawn is not part of what is measured.
export function watchFrames() {
  window.beforePaint = (shows, done) => {
    let isDone = false;
    const look = () => {
      if (isDone || !shows()) return;
      isDone = true;
      observer.disconnect();
      document.body.getBoundingClientRect();
      done();
    };
    const observer = new MutationObserver(look);
    const all = { attributes: true, childList: true, characterData: true, subtree: true };
    observer.observe(document, all);
    requestAnimationFrame(look);
  };
}
