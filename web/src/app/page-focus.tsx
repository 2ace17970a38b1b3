import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";

/** How long a page may take to show its heading before its title is announced instead. */
export const HEADING_PATIENCE_MS = 2000;

function focusHeading(main: HTMLElement): boolean {
  const heading = main.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
  return heading !== null;
}

/** Puts the focus where the new page begins, when it begins: a page may be waiting for its data first. */
function focusPage(onNoHeading: () => void): () => void {
  const main = document.querySelector("main");
  // What stands over the page has the focus already, or is about to take it.
  const isElsewhere = () =>
    document.querySelector("[data-over-page]") !== null ||
    (document.activeElement !== main && main?.contains(document.activeElement));
  if (!main || isElsewhere() || focusHeading(main)) return () => undefined;
  main.focus({ preventScroll: true });
  const observer = new MutationObserver(() => {
    if (isElsewhere() || focusHeading(main)) stop();
  });
  observer.observe(main, { childList: true, subtree: true });
  const timer = setTimeout(() => {
    stop();
    onNoHeading();
  }, HEADING_PATIENCE_MS);
  const stop = () => {
    observer.disconnect();
    clearTimeout(timer);
  };
  return stop;
}

/** A navigation moves the focus to the page's heading, which is how a screen reader learns of it. */
export function PageFocus() {
  const { pathname } = useLocation();
  const lastPathname = useRef(pathname);
  const [announcement, setAnnouncement] = useState("");
  useEffect(() => {
    if (lastPathname.current === pathname) return;
    lastPathname.current = pathname;
    setAnnouncement("");
    return focusPage(() => setAnnouncement(document.title));
  }, [pathname]);
  return (
    <div aria-live="polite">
      <VisuallyHidden>{announcement}</VisuallyHidden>
    </div>
  );
}
