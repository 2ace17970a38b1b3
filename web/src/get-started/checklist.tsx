import type { GetStarted, HostV2, Network } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { hostPath } from "../hosts/host-link.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { classNames } from "../ui/base/class-names.ts";
import { CodeBlock } from "../ui/text/code.tsx";
import { CheckIcon } from "../ui/base/icons.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { onlineHostsQuery, waitingHostsQuery } from "./get-started.queries.ts";
import styles from "./get-started.module.css";

interface StepContent {
  name: string;
  isDone: boolean;
  text: ReactNode;
  /** What to do now, shown while it is this step's turn. */
  action?: ReactNode;
}

export const isComplete = ({ hasEnrolledLighthouse, enrolledHostCount, hasTunnel }: GetStarted): boolean =>
  hasEnrolledLighthouse && enrolledHostCount >= 2 && hasTunnel;

interface ChecklistProps {
  network: Network;
  progress: GetStarted;
}

/** What makes a network useful, in order. Each step sees by itself that it is done. */
export function Checklist({ network, progress }: ChecklistProps) {
  const { hasEnrolledLighthouse, enrolledHostCount, hasTunnel } = progress;
  const { data } = useQuery({ ...waitingHostsQuery, enabled: !isComplete(progress) });
  const waiting = data?.data ?? [];
  const steps: StepContent[] = [
    {
      name: "Create a network",
      isDone: true,
      text: (
        <>
          <bdi>{network.name}</bdi> · <code>{network.cidr}</code>
        </>
      ),
    },
    {
      name: "Enroll a lighthouse",
      isDone: hasEnrolledLighthouse,
      text: "A host with a public address. The others ask it where to find one another.",
      action: (
        <EnrollAction
          waiting={waiting.find(({ isLighthouse }) => isLighthouse)}
          add={{ label: "Add a lighthouse", to: "/lighthouses/add" }}
        />
      ),
    },
    {
      name: "Enroll your first host",
      isDone: enrolledHostCount >= 1,
      text: "One command on the machine installs the agent and enrolls it: it gets its address and its certificate.",
      action: <EnrollHost waiting={waiting} />,
    },
    {
      name: "Enroll a second one",
      isDone: enrolledHostCount >= 2,
      text: "It takes two to talk. More can be added at once.",
      action: <EnrollHost waiting={waiting} />,
    },
    {
      name: "Let them talk",
      isDone: hasTunnel,
      text: (
        <>
          Nothing is open until a role or a tag allows it. Give the hosts a <Link to="/roles">role</Link> with
          a rule for ICMP, and ping one from the other.
        </>
      ),
      action: <Ping />,
    },
  ];
  const turn = steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol className={styles.steps}>
      {steps.map((step, index) => (
        <Step key={step.name} {...step} isTurn={index === turn} />
      ))}
    </ol>
  );
}

function Step({ name, isDone, text, action, isTurn }: StepContent & { isTurn: boolean }) {
  return (
    <li className={styles.step} aria-current={isTurn ? "step" : undefined}>
      <span className={classNames(styles.mark, isDone && styles.done)}>{isDone && <CheckIcon />}</span>
      <span className={styles.name}>
        {name}
        {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
      </span>
      <span className={styles.text}>{text}</span>
      {isTurn && action && <div className={styles.action}>{action}</div>}
    </li>
  );
}

interface EnrollActionProps {
  /** One that has been added already. */
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
        add={{ label: "Add a host", to: "/hosts/add" }}
      />
      <LinkButton variant="quiet" to="/hosts/add-several">
        Add several
      </LinkButton>
    </>
  );
}

/** The first two that are in one network: hosts of different ones never reach one another. */
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
  if (!from || !to) return "Start the agent on both: they are not online at the moment.";
  return (
    <div className={styles.ping}>
      <p className={styles.text}>
        On <bdi>{from.name}</bdi>, to reach <bdi>{to.name}</bdi>:
      </p>
      <CodeBlock label="Ping command" copy="command" wrap>
        {`ping -c 3 ${to.ipAddresses[0]}`}
      </CodeBlock>
      <p className={styles.text}>Their tunnel shows here within five minutes.</p>
    </div>
  );
}
