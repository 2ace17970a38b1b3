import type { NetworkUpgrade } from "@lightkeeper/contract";

interface StepTexts<Step extends string> {
  labels: Readonly<Record<Step, string>>;
  /** What happens in the step. */
  descriptions: Readonly<Record<Step, string>>;
}

export const upgradeTexts: StepTexts<NetworkUpgrade["step"]> = {
  labels: {
    NEBULA: "Check the version of Nebula",
    TRUST: "Distribute the new CA",
    BOTH: "Add a second certificate",
    INITIATE: "Use version 2 for new tunnels",
    ONLY: "Remove the version 1 certificates",
    DONE: "Retire the old CA",
  },
  descriptions: {
    NEBULA: "Every host needs Nebula 1.10 or newer. Update Nebula on hosts that have an older version.",
    TRUST: "Hosts get the CA that signs version 2 certificates and trust it in addition to the current CA.",
    BOTH: "Hosts get an IPv6 address and a version 2 certificate, and keep their version 1 certificate.",
    INITIATE: "Hosts use version 2 certificates for new tunnels and still accept version 1 certificates.",
    ONLY: "Hosts give up their version 1 certificates.",
    DONE: "Hosts no longer trust the CA of the version 1 certificates.",
  },
};

export const revertSteps = ["BOTH", "TRUST", "NEBULA"] as const;

/** The server stays in the step that it returns to until hosts have given up the step after it. */
export const revertTexts: StepTexts<(typeof revertSteps)[number]> = {
  labels: {
    BOTH: "Use version 1 for new tunnels",
    TRUST: "Remove the second certificates",
    NEBULA: "Retire the new CA",
  },
  descriptions: {
    BOTH: "Hosts use version 1 certificates for new tunnels again.",
    TRUST: "Hosts give up their version 2 certificates. Nebula restarts on each of them.",
    NEBULA: "Hosts no longer trust the CA of the version 2 certificates.",
  },
};
