import { writeToClipboard } from "../base/clipboard.ts";
import { CopyIcon } from "../base/icons.tsx";
import type { MenuEntry } from "./menu-popup.tsx";
import { toast } from "../feedback/toast.ts";

async function copy(text: string) {
  if ((await writeToClipboard(text)) === "copied") toast("Copied!", { tone: "ok" });
  else toast("Unable to copy", { tone: "danger" });
}

/** A menu entry that shows a value and copies it. */
export const copyEntry = (text: string): MenuEntry => ({
  label: text,
  icon: <CopyIcon />,
  onSelect: () => void copy(text),
});
