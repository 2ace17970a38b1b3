/** The files in deploy/high-availability, changed only where a machine differs from the loopback interface. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const DEPLOYMENT_FOLDER = resolve(import.meta.dirname, "../../../deploy/high-availability");

export const MACHINES = [1, 2, 3] as const;
export type Machine = (typeof MACHINES)[number];

/** What is replaced in a file: each text must occur. */
export type Replacements = readonly (readonly [text: string, replacement: string])[];

export interface Deployment {
  /** The first two numbers of all addresses, such as 127.45. */
  prefix: string;
  loadBalancer: string;
  addressOf: (machine: Machine) => string;
  /** The text of a file, as it is installed on a machine. */
  render: (file: string, options?: { machine?: Machine; replacements?: Replacements }) => string;
}

const SUBNET = "10.20.0.0/24";
const PREFIX = "10.20.";
const FIRST = "10.20.0.11";
const PREFIX_MIN = 2;
const PREFIX_COUNT = 250;

/** Lines that list all machines, and are the same on each. */
const SHARED_LINE = /^(ETCD_INITIAL_CLUSTER=| {2}hosts:)/;
const FIRST_NAME = /\b(etcd|postgres)1$/;

function forMachine(text: string, machine: Machine): string {
  const change = (line: string) =>
    SHARED_LINE.test(line)
      ? line
      : line.replaceAll(FIRST, `10.20.0.1${machine}`).replace(FIRST_NAME, `$1${machine}`);
  return text.split("\n").map(change).join("\n");
}

/** On addresses that no other deployment on this machine uses at the same time. */
export function createDeployment(): Deployment {
  const prefix = `127.${PREFIX_MIN + (process.pid % PREFIX_COUNT)}`;
  const toLoopback = (text: string) =>
    // The loopback interface sends everything from 127.0.0.1.
    text.replaceAll(SUBNET, "127.0.0.0/8").replaceAll(PREFIX, `${prefix}.`);
  return {
    prefix,
    loadBalancer: `${prefix}.0.10`,
    addressOf: (machine) => `${prefix}.0.1${machine}`,
    render(file, { machine = 1, replacements = [] } = {}) {
      let text = forMachine(readFileSync(join(DEPLOYMENT_FOLDER, file), "utf8"), machine);
      for (const [original, replacement] of replacements) {
        if (!text.includes(original)) throw new Error(`${file} doesn't contain ${original}`);
        text = text.replaceAll(original, replacement);
      }
      return toLoopback(text);
    },
  };
}

/** Parses a file of NAME=value lines. */
export function parseEnvironment(text: string): Record<string, string> {
  const pairs = text.matchAll(/^([A-Z][A-Z_0-9]*)=(.*)$/gm);
  return Object.fromEntries(
    [...pairs].map(([, name = "", value = ""]) => [name, value.replace(/^"(.*)"$/, "$1")]),
  );
}
