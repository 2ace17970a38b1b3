import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";

/** If a page takes longer to show its heading, its title is announced instead. */
export const HEADING_TIMEOUT_MS = 2000;

function focusHeading(main: HTMLElement): boolean {
  const heading = main.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
  return heading !== null;
}

/** Focuses the heading of the new page, which may appear only when its data is loaded. */
function focusPage(onNoHeading: () => void): () => void {
  const main = document.querySelector("main");
  // A dialog over the page manages its own focus.
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
  }, HEADING_TIMEOUT_MS);
  const stop = () => {
    observer.disconnect();
    clearTimeout(timer);
  };
  return stop;
}

/** After a navigation, moves the focus to the page's heading, so that screen readers announce the page. */
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
