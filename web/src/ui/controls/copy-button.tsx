import { useState } from "react";
import { writeToClipboard } from "../base/clipboard.ts";
import { IconButton } from "./icon-button.tsx";
import { CheckIcon, CopyIcon } from "../base/icons.tsx";
import { useTimer } from "../base/timer.ts";
import { Announcement } from "../base/visually-hidden.tsx";

const copiedForMs = 2000;

const messages = { idle: "Copy", copied: "Copied!", failed: "Unable to copy" };

export interface CopyButtonProps {
  /** What is copied, for the accessible name: "Copy {what}". */
  what: string;
  value: string;
}

export function CopyButton({ what, value }: CopyButtonProps) {
  const [state, setState] = useState<keyof typeof messages>("idle");
  const [isUsed, setUsed] = useState(false);
  const timer = useTimer();

  async function copy() {
    setUsed(true);
    const result = await writeToClipboard(value);
    setState(result);
    timer.start(() => setState("idle"), copiedForMs);
  }

  return (
    <>
      <IconButton
        label={`Copy ${what}`}
        icon={state === "copied" ? <CheckIcon /> : <CopyIcon />}
        tooltip={messages[state]}
        tooltipOpen={state !== "idle"}
        size="small"
        onClick={() => void copy()}
      />
      {/* A live region must exist before its text changes, but not in every row of a table. */}
      {isUsed && <Announcement>{state !== "idle" && messages[state]}</Announcement>}
    </>
  );
}
