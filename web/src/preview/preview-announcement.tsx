import { useElapsed } from "../ui/base/timer.ts";
import { Announcement } from "../ui/base/visually-hidden.tsx";

const PAUSE_MS = 1000;

/** Remounted by each answer, so that screen readers announce only the last one and not every keystroke. */
export function PreviewAnnouncement({ text }: { text: string }) {
  const isDue = useElapsed(PAUSE_MS);
  return <Announcement>{isDue ? text : ""}</Announcement>;
}
