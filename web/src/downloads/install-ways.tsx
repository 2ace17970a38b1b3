import { Link } from "react-router";
import { CodeBlock } from "../ui/text/code.tsx";
import { PanelTabs } from "../ui/controls/panel-tabs.tsx";
import { enrollByHand, installByHand, type AgentFile } from "./agent-files.ts";
import styles from "./downloads.module.css";

/** By the script, or, for each file, by hand. */
export function InstallWays({ files }: { files: readonly AgentFile[] }) {
  return (
    <PanelTabs
      label="How to install"
      first="script"
      tabs={[
        { id: "script", label: "Install script", content: <ByScript /> },
        ...files.map((file) => ({ id: file.platform, label: file.label, content: <ByHand file={file} /> })),
      ]}
    />
  );
}

function ByScript() {
  return (
    <div className={styles.way}>
      <p>
        Run this on a Linux host. It takes the file that fits, checks it, brings Nebula if it is missing, and
        starts with the system.
      </p>
      <CodeBlock label="Install command" copy="install command" wrap>
        {`curl -fsSL ${location.origin}/install.sh | sudo sh`}
      </CodeBlock>
      <p className={styles.aside}>
        A host&apos;s own page has the same command with its code, which enrolls it too:{" "}
        <Link to="/hosts/add" className={styles.link}>
          add a host
        </Link>
        .{" "}
        <a href="/install.sh" target="_blank" rel="noreferrer" className={styles.link}>
          Read the script
        </a>
      </p>
    </div>
  );
}

function ByHand({ file }: { file: AgentFile }) {
  const install = installByHand(file);
  if (!install) return <p>Download {file.name} below and install it as this system does.</p>;
  return (
    <div className={styles.way}>
      <p>Fetch it, check it, and put it in its place:</p>
      <CodeBlock label="Install commands" copy={`install commands for ${file.label}`} wrap>
        {install}
      </CodeBlock>
      <p>Then enroll with a code from the host&apos;s page, and have it run as root, always:</p>
      <CodeBlock label="Enroll commands" copy={`enroll commands for ${file.label}`} wrap>
        {enrollByHand(file)}
      </CodeBlock>
    </div>
  );
}
