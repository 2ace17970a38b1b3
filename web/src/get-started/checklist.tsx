import type { GetStarted, HostV2, NetworkV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { addressToReach } from "../on-demand/address-to-reach.ts";
import { hostPath } from "../references/host-link.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { classNames } from "../ui/base/class-names.ts";
import { CodeBlock } from "../ui/text/code.tsx";
import { CheckIcon } from "../ui/base/icons.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { isComplete, onlineHostsQuery, waitingHostsQuery } from "./get-started.queries.ts";
import styles from "./get-started.module.css";

interface StepContent {
  name: string;
  isDone: boolean;
  text: ReactNode;
  /** Shown while this is the current step. */
  action?: ReactNode;
}

interface ChecklistProps {
  network: NetworkV2;
  progress: GetStarted;
}

/** The steps to a working network. Each is checked off automatically. */
export function Checklist({ network, progress }: ChecklistProps) {
  const { data } = useQuery({ ...waitingHostsQuery, enabled: !isComplete(progress) });
  const steps = stepsOf(network, progress, data?.data ?? []);
  const currentIndex = steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol className={styles.steps}>
      {steps.map((step, index) => (
        <Step key={step.name} {...step} isCurrent={index === currentIndex} />
      ))}
    </ol>
  );
}

function stepsOf(network: NetworkV2, progress: GetStarted, waiting: readonly HostV2[]): StepContent[] {
  const { hasEnrolledLighthouse, enrolledHostCount, hasTunnel } = progress;
  return [
    {
      name: "Create a network",
      isDone: true,
      text: (
        <>
          <bdi>{network.name}</bdi> · <code>{network.cidrs.join(", ")}</code>
        </>
      ),
    },
    {
      name: "Enroll a lighthouse",
      isDone: hasEnrolledLighthouse,
      text: "A host with a public IP address that helps your other hosts find each other.",
      action: (
        <EnrollAction
          waiting={waiting.find(({ isLighthouse }) => isLighthouse)}
          add={{ label: "Add lighthouse", to: "/lighthouses/add" }}
        />
      ),
    },
    {
      name: "Enroll your first host",
      isDone: enrolledHostCount >= 1,
      text: "Run one command to install the agent. The host gets its overlay address and certificate.",
      action: <EnrollHost waiting={waiting} />,
    },
    {
      name: "Enroll a second host",
      isDone: enrolledHostCount >= 2,
      text: "You need two hosts to test a connection.",
      action: <EnrollHost waiting={waiting} />,
    },
    {
      name: "Allow a connection",
      isDone: hasTunnel,
      text: (
        <>
          Hosts block all inbound traffic until a rule allows it. Give both hosts a{" "}
          <Link to="/roles">role</Link> with a rule for ICMP, then ping one host from the other.
        </>
      ),
      action: <Ping />,
    },
  ];
}

function Step({ name, isDone, text, action, isCurrent }: StepContent & { isCurrent: boolean }) {
  return (
    <li className={styles.step} aria-current={isCurrent ? "step" : undefined}>
      <span className={classNames(styles.mark, isDone && styles.done)}>{isDone && <CheckIcon />}</span>
      <span className={styles.name}>
        {name}
        {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
      </span>
      <span className={styles.text}>{text}</span>
      {isCurrent && action && <div className={styles.action}>{action}</div>}
    </li>
  );
}

interface EnrollActionProps {
  /** A host that was added but hasn't enrolled yet. */
  waiting: HostV2 | undefined;
  add: { label: string; to: string };
}

function EnrollAction({ waiting, add }: EnrollActionProps) {
  return (
    <>
      {waiting && (
        <LinkButton variant="primary" to={`${hostPath(waiting)}/enroll`}>
          Enroll <bdi className={styles.host}>{waiting.name}</bdi>
        </LinkButton>
      )}
      <LinkButton variant={waiting ? "default" : "primary"} to={add.to}>
        {add.label}
      </LinkButton>
    </>
  );
}

function EnrollHost({ waiting }: { waiting: readonly HostV2[] }) {
  return (
    <>
      <EnrollAction
        waiting={waiting.find(({ isLighthouse }) => !isLighthouse)}
        add={{ label: "Add host", to: "/hosts/add" }}
      />
      <LinkButton variant="quiet" to="/hosts/add-several">
        Add several hosts
      </LinkButton>
    </>
  );
}

/** The first two hosts in the same network: hosts in different networks can't reach each other. */
function pairOf(hosts: readonly HostV2[]): [HostV2, HostV2] | undefined {
  for (const [index, from] of hosts.entries()) {
    const to = hosts.slice(index + 1).find(({ networkID }) => networkID === from.networkID);
    if (to) return [from, to];
  }
  return undefined;
}

function Ping() {
  const { data } = useQuery(onlineHostsQuery);
  const [from, to] = pairOf(data?.data ?? []) ?? [];
  if (!from || !to) return "Neither host is online. Start the agent on both.";
  return (
    <div className={styles.ping}>
      <p className={styles.text}>
        Run this on <bdi>{from.name}</bdi> to ping <bdi>{to.name}</bdi>:
      </p>
      <CodeBlock label="Ping command" copy="command" wrap>
        {`ping -c 3 ${addressToReach(to, from)}`}
      </CodeBlock>
      <p className={styles.text}>The tunnel is detected within 5 minutes.</p>
    </div>
  );
}
