import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { enrollCommand, installCommand } from "./agent-commands.ts";
import { CodeBlock } from "../ui/text/code.tsx";
import { PanelTabs } from "../ui/on-demand/panel-tabs.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import styles from "./enrollment.module.css";

const QRCode = lazy(() => import("../ui/text/qr-code.tsx"));

interface EnrollCommandsProps {
  code: string;
  /** The host is already enrolled. */
  isAgain: boolean;
}

const isOnPhone = () => /Android|iPhone|iPad/.test(navigator.userAgent);

export function EnrollCommands({ code, isAgain }: EnrollCommandsProps) {
  return (
    <PanelTabs
      label="How to enroll"
      first={isAgain ? "installed" : isOnPhone() ? "other" : "linux"}
      tabs={[
        { id: "linux", label: "Linux", content: <LinuxTab code={code} /> },
        { id: "installed", label: "Agent installed", content: <AgentTab code={code} isAgain={isAgain} /> },
        { id: "other", label: "Enrollment code", content: <CodeTab code={code} /> },
      ]}
    />
  );
}

function LinuxTab({ code }: { code: string }) {
  return (
    <div className={styles.instructions}>
      <p>
        Run this on the machine. It installs the agent and Nebula, enrolls the host and starts the service.
      </p>
      <CodeBlock label="Install command" copy="command" wrap>
        {installCommand(code)}
      </CodeBlock>
      <p className={styles.aside}>
        <a href="/install.sh" target="_blank" rel="noreferrer">
          View the install script
        </a>
      </p>
    </div>
  );
}

function AgentTab({ code, isAgain }: EnrollCommandsProps) {
  return (
    <div className={styles.instructions}>
      <p>Run this on the host if the agent is already installed.</p>
      <CodeBlock label="Enroll command" copy="command" wrap>
        {enrollCommand(code, { isAgain })}
      </CodeBlock>
      {isAgain && (
        <p className={styles.aside}>
          <code>--force</code> replaces the agent’s current keys.
        </p>
      )}
    </div>
  );
}

function CodeTab({ code }: { code: string }) {
  return (
    <div className={styles.codeTab}>
      <div className={styles.instructions}>
        <p>
          Install the agent from <Link to="/downloads">Downloads</Link>, or use any client that speaks the
          Managed Nebula protocol and lets you set the server. Set the server to{" "}
          <code>{location.origin}</code>, then enter this code or scan it with a compatible mobile client.
        </p>
        <CodeBlock label="Enrollment code" copy="enrollment code" wrap>
          {code}
        </CodeBlock>
        <p className={styles.aside}>
          Mobile apps with a built-in server address can’t enroll here: they have no setting for the server.
        </p>
      </div>
      <Suspense fallback={<Spinner delayed />}>
        <QRCode value={code} label="QR code of the enrollment code" size={168} />
      </Suspense>
    </div>
  );
}
