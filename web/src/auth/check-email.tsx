import { useEffect, useState } from "react";
import { config } from "../lib/config.ts";
import { shownMessageOrAlert } from "../lib/errors.ts";
import { formatCount } from "../lib/format.ts";
import { tooManySignups } from "../lib/messages.ts";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { startTimer } from "../ui/base/timer.ts";
import { AuthPanel } from "./auth-panel.tsx";
import styles from "./auth.module.css";

export const RESEND_WAIT_SECONDS = 30;

interface CheckEmailProps {
  email: string;
  sendAgain: () => Promise<unknown>;
  onUseAnother: () => void;
}

/** Shown after a link is requested. It must not reveal whether the address has an account. */
export function CheckEmail({ email, sendAgain, onUseAnother }: CheckEmailProps) {
  return (
    <AuthPanel
      announced
      title="Check your email"
      lead={
        <>
          We sent a link to <strong className={styles.address}>{email}</strong>. The link works once and
          expires in 15 minutes.
        </>
      }
    >
      <LocalMailHint />
      <SendAgain sendAgain={sendAgain} />
      <Button variant="quiet" onClick={onUseAnother}>
        Use another address
      </Button>
    </AuthPanel>
  );
}

function LocalMailHint() {
  if (config.environment !== "local") return null;
  return (
    <Notice tone="info">
      <p>
        No mail server is configured, so email is kept on this machine:{" "}
        <a href="/dev/mail">open the mailbox</a>.
      </p>
    </Notice>
  );
}

function SendAgain({ sendAgain }: Pick<CheckEmailProps, "sendAgain">) {
  const [secondsLeft, setSecondsLeft] = useState(RESEND_WAIT_SECONDS);
  const [state, setState] = useState<"waiting" | "sending" | "sent">("waiting");
  const [failure, setFailure] = useState<string>();

  useEffect(() => {
    if (secondsLeft === 0) return;
    return startTimer(() => setSecondsLeft(secondsLeft - 1), 1000).clear;
  }, [secondsLeft]);

  async function send() {
    setState("sending");
    setFailure(undefined);
    try {
      await sendAgain();
      setState("sent");
    } catch (error) {
      setState("waiting");
      setFailure(shownMessageOrAlert(error, [tooManySignups]));
    }
    setSecondsLeft(RESEND_WAIT_SECONDS);
  }

  return (
    <>
      {state === "sent" && <Notice tone="ok">Sent. Only the newest link works.</Notice>}
      {failure && <Notice tone="danger">{failure}</Notice>}
      <Button
        size="large"
        wide
        disabled={secondsLeft > 0}
        pending={state === "sending"}
        onClick={() => void send()}
      >
        {secondsLeft > 0 ? `Send again in ${formatCount(secondsLeft, "second")}` : "Send again"}
      </Button>
    </>
  );
}
