import { lazy, Suspense, useState } from "react";
import { Button } from "../controls/button.tsx";
import { Card } from "../pages/card.tsx";
import { Chip } from "../text/chip.tsx";
import { Code, CodeBlock } from "../text/code.tsx";
import { ConfirmDialog } from "../overlays/confirm-dialog.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { Countdown, useRemaining } from "../on-demand/countdown.tsx";
import { Dialog } from "../overlays/dialog.tsx";
import { Field, TextInput } from "../forms/field.tsx";
import styles from "./kit-page.module.css";
import { Notice } from "../feedback/notice.tsx";
import { PanelTabs } from "../on-demand/panel-tabs.tsx";
import { Spinner } from "../feedback/spinner.tsx";
import { Status } from "../feedback/status.tsx";
import { Time } from "../text/time.tsx";
import { toast } from "../feedback/toast.ts";

const QRCode = lazy(() => import("../text/qr-code.tsx"));

const justNow = new Date().toISOString();

const command = "sudo agent enroll --server https://control.example.com --code 7F3K-99QX-2MZP-TTLA";

export function KitFeedback() {
  return (
    <>
      <Overlays />
      <section className={styles.section} aria-label="Notices">
        <h2 className={styles.heading}>Notices, statuses, small parts</h2>
        <Notice tone="info">A new version is available.</Notice>
        <Notice tone="ok">Saved.</Notice>
        <Notice tone="warn" actions={<Button size="small">Try again</Button>}>
          This list may be out of date.
        </Notice>
        <Notice tone="danger">Too many requests, please try again later.</Notice>
        <div className={styles.row}>
          <Status tone="ok">Online</Status>
          <Status tone="off">Offline</Status>
          <Status tone="warn">Expires in 9 days</Status>
          <Status tone="bad">Blocked</Status>
          <Status tone="new">Not enrolled</Status>
        </div>
        <div className={styles.row}>
          <Chip>env:prod</Chip>
          <Chip
            tone="accent"
            onRemove={() => toast("Removed")}
            removeLabel="Remove filter Network: Production"
          >
            Network: Production
          </Chip>
          <Code copy="address">100.100.0.21</Code>
          <CopyButton what="nothing" value="" />
          <Time at={justNow} />
          <Time at="2026-01-02T03:04:05Z" absolute />
          <Spinner size={16} />
          <Spinner />
          <Spinner size={48} delayed />
        </div>
        <LargeParts />
      </section>
    </>
  );
}

function LargeParts() {
  return (
    <>
      <CodeBlock label="Command" copy="command" wrap>
        {command}
      </CodeBlock>
      <Card padded={false}>
        <PanelTabs
          label="How to enroll"
          tabs={[
            { id: "linux", label: "Linux", content: "Run this on the host." },
            { id: "other", label: "Other", content: <Ending /> },
          ]}
        />
      </Card>
      <Suspense fallback={<Spinner delayed />}>
        <QRCode value="otpauth://totp/Example:someone@example.com?secret=JBSWY3DPEHPK3PXP" label="QR code" />
      </Suspense>
    </>
  );
}

function Ending() {
  const remainingMs = useRemaining(Date.parse(justNow) + 600_000);
  return (
    <>
      Works for <Countdown remainingMs={remainingMs} />
    </>
  );
}

type OverlayName = "dialog" | "confirm" | "typed";

function Overlays() {
  const [open, setOpen] = useState<OverlayName>();
  const close = () => setOpen(undefined);
  return (
    <section className={styles.section} aria-label="Overlays">
      <h2 className={styles.heading}>Dialogs and toasts</h2>
      <Card>
        <div className={styles.row}>
          <Button onClick={() => setOpen("dialog")}>Open dialog</Button>
          <Button onClick={() => setOpen("confirm")}>Ask</Button>
          <Button onClick={() => setOpen("typed")}>Ask for the name</Button>
          <Button
            onClick={() =>
              toast("Network created", { action: { label: "Undo", onSelect: () => toast("Undone") } })
            }
          >
            Toast
          </Button>
          <Button onClick={() => toast("Couldn’t save.", { tone: "danger", requestID: "req-4F2Q7XKJ" })}>
            Error toast
          </Button>
        </div>
      </Card>
      <Dialogs open={open} close={close} />
    </section>
  );
}

function Dialogs({ open, close }: { open: OverlayName | undefined; close: () => void }) {
  return (
    <>
      <Dialog
        open={open === "dialog"}
        onClose={close}
        title="Add authenticator"
        description="Scan the code with your authenticator app."
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" onClick={close}>
              Add authenticator
            </Button>
          </>
        }
      >
        <Field label="Name" hint="Use the device’s name.">
          <TextInput />
        </Field>
      </Dialog>
      <ConfirmDialog
        open={open === "confirm"}
        onClose={close}
        onConfirm={close}
        title="Log out everywhere?"
        consequence="All your other sessions end immediately."
        confirmLabel="Log out"
      />
      <ConfirmDialog
        open={open === "typed"}
        onClose={close}
        onConfirm={close}
        title="Delete network Production?"
        consequence="Permanently deletes the network and its certificate authority."
        confirmLabel="Delete network"
        typedName="Production"
        danger
        error="This network contains hosts, relays, and/or lighthouses.  Please delete them and try again."
      />
    </>
  );
}
