import { Link } from "react-router";
import { CodeBlock } from "../ui/text/code.tsx";
import { PanelTabs } from "../ui/on-demand/panel-tabs.tsx";
import { manualEnrollCommands, manualInstallCommands, type AgentFile } from "./agent-files.ts";
import styles from "./downloads.module.css";

/** How to install the agent: with the script, or manually for each file. */
export function InstallInstructions({ files }: { files: readonly AgentFile[] }) {
  return (
    <PanelTabs
      label="How to install"
      first="script"
      tabs={[
        { id: "script", label: "Install script", content: <ScriptInstall /> },
        ...files.map((file) => ({
          id: file.platform,
          label: file.label,
          content: <ManualInstall file={file} />,
        })),
      ]}
    />
  );
}

function ScriptInstall() {
  return (
    <div className={styles.instructions}>
      <p>
        Run this on a Linux host. It downloads and verifies the right build, installs Nebula if needed and
        starts the service.
      </p>
      <CodeBlock label="Install command" copy="install command" wrap>
        {`curl -fsSL ${location.origin}/install.sh | sudo sh`}
      </CodeBlock>
      <p className={styles.aside}>
        To enroll the host as well,{" "}
        <Link to="/hosts/add" className={styles.link}>
          add a host
        </Link>{" "}
        and use the command on its page.{" "}
        <a href="/install.sh" target="_blank" rel="noreferrer" className={styles.link}>
          View the install script
        </a>
      </p>
    </div>
  );
}

function ManualInstall({ file }: { file: AgentFile }) {
  const install = manualInstallCommands(file);
  if (!install) return <p>Download {file.name} below and install it the way your system requires.</p>;
  return (
    <div className={styles.instructions}>
      <p>Download, verify and install the agent:</p>
      <CodeBlock label="Install commands" copy={`install commands for ${file.label}`} wrap>
        {install}
      </CodeBlock>
      <p>Then enroll the host with a code from its page, and keep the agent running as root:</p>
      <CodeBlock label="Enroll commands" copy={`enroll commands for ${file.label}`} wrap>
        {manualEnrollCommands(file)}
      </CodeBlock>
    </div>
  );
}
