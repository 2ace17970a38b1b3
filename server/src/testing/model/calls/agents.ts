/** Hosts that enroll and fetch their updates, with the real protocol. */
import { type Call, Mismatch, type Reply, requireCodes, requireParts } from "../call.ts";
import { chooseOrganization, type Choices } from "../choices.ts";
import type { Driver } from "../driver.ts";
import { expectConfig, expectIdentity } from "../expected-config.ts";
import { readCertificate, readConfig } from "../received-config.ts";
import {
  certificateInUse,
  findByID,
  getByID,
  type ModelCertificate,
  type ModelHost,
  type ModelNetwork,
  type Organization,
  record,
  type State,
} from "../state.ts";
import { TestAgent } from "../../test-agent.ts";
import type { CallFactories } from "./factories.ts";
import { revokeCertificates } from "./host-access.ts";

const NEW_NEBULA = "lightkeeper-agent/1.0.0 (linux; arm64) nebula/1.10.3";
const OLD_NEBULA = "lightkeeper-agent/1.0.0 (linux; arm64) nebula/1.9.3";

/** The test agent throws errors with the response in their message. */
async function settleAgent(work: () => Promise<unknown>): Promise<Reply> {
  try {
    return { codes: [], data: await work() };
  } catch (error) {
    const codes = (error instanceof Error ? error.message : "").match(/ERR_\w+/g);
    if (!codes) throw error;
    return { codes, data: undefined };
  }
}

interface Fetched {
  command: string;
  config: string;
  certificate: string;
}

function requireFetched(organization: Organization, host: ModelHost, { config, certificate }: Fetched): void {
  const { trustedCAIDs, ...expected } = expectConfig(organization, host);
  const actual = readConfig(config);
  requireParts(`The configuration of ${host.id}`, actual, {
    ...expected,
    trustedCACount: trustedCAIDs.length,
  });
  requireSameKeys(actual.staticHostMap, expected.staticHostMap);
  requireParts(
    `The certificate of ${host.id}`,
    readCertificate(certificate),
    expectIdentity(organization, host),
  );
}

function requireSameKeys(actual: object, expected: object): void {
  const [found, wanted] = [actual, expected].map((map) => Object.keys(map).toSorted().join());
  if (found !== wanted) throw new Mismatch(`static_host_map has ${found} instead of ${wanted}`);
}

const isWider = (older: ModelCertificate, used: ModelCertificate): boolean =>
  older.groups.some((group) => !used.groups.includes(group)) ||
  older.subnets.some((subnet) => !used.subnets.includes(subnet));

function addCertificate(
  organization: Organization,
  network: ModelNetwork,
  host: ModelHost,
  pem: string,
): void {
  const used: ModelCertificate = {
    ...expectIdentity(organization, host),
    fingerprint: readCertificate(pem).fingerprint,
    caID: network.signingCAID,
    isToBeRevoked: false,
  };
  for (const older of host.certificates) older.isToBeRevoked ||= isWider(older, used);
  host.certificates.push(used);
}

function recordFetched(organization: Organization, network: ModelNetwork, host: ModelHost): void {
  host.received = expectConfig(organization, host);
  if (network.rotation && !network.rotation.hasTrust.includes(host.id))
    network.rotation.hasTrust.push(host.id);
}

async function enroll(driver: Driver, code: string, userAgent: string): Promise<Fetched> {
  const agent = await TestAgent.enroll(driver.server.url, code, userAgent);
  driver.addAgent(agent);
  const { config, certificate } = agent.state;
  return { command: "", config, certificate };
}

function acceptEnrollment(state: State, reply: Reply, code: string, userAgent: string): void {
  const owner = state.organizations.flatMap((organization) =>
    organization.hosts.filter((host) => host.code === code).map((host) => ({ organization, host })),
  )[0];
  if (!owner) return requireCodes(reply, ["ERR_INVALID_VALUE"]);
  const { organization, host } = owner;
  if (host.isBlocked) return requireCodes(reply, ["ERR_HOST_BLOCKED"]);
  const network = getByID(organization.networks, host.networkID);
  const isTooOld = network.certVersion === 2 && userAgent === OLD_NEBULA;
  if (isTooOld) return requireCodes(reply, ["ERR_NEBULA_TOO_OLD"]);
  requireCodes(reply, []);
  revokeCertificates(organization, host);
  host.code = null;
  host.wasEnrolled = true;
  const fetched = reply.data as Fetched;
  addCertificate(organization, network, host, fetched.certificate);
  recordFetched(organization, network, host);
  record(organization, host.id, ["host", host.id], "ENROLLED");
  requireFetched(organization, host, fetched);
}

/** What the server should tell the agent to do. */
function expectCommand(organization: Organization, host: ModelHost): string {
  const network = getByID(organization.networks, host.networkID);
  const used = certificateInUse(host)!;
  const identity = expectIdentity(organization, host);
  const isCurrent =
    used.caID === network.signingCAID &&
    JSON.stringify(identity) ===
      JSON.stringify({
        name: used.name,
        addresses: used.addresses,
        groups: used.groups,
        subnets: used.subnets,
      });
  if (!isCurrent) return "DoUpdate";
  const isReceived = JSON.stringify(host.received) === JSON.stringify(expectConfig(organization, host));
  return isReceived ? "NoOp" : "DoConfigUpdate";
}

/** Uses the update that the server sends, every other time without keys, like public clients. */
async function update(driver: Driver, hostID: string): Promise<Fetched> {
  const agent = driver.agentOf(hostID);
  const hasKeys = agent.state.counter % 2 === 0;
  const { command, state } = await agent.pollForUpdate(hasKeys ? {} : { update: null });
  if (state) agent.state = state;
  else if (command === "DoUpdate" || command === "DoConfigUpdate") await agent.update(command);
  if (await agent.hasUpdate()) throw new Mismatch(`${hostID} is offered an update again`);
  const { config, certificate } = agent.state;
  return { command, config, certificate };
}

function acceptUpdate(state: State, reply: Reply, hostID: string): void {
  const organization = state.organizations.find(({ hosts }) => findByID(hosts, hostID));
  const host = organization && findByID(organization.hosts, hostID);
  if (!organization || !host || !certificateInUse(host)) return requireCodes(reply, ["ERR_UNAUTHORIZED"]);
  requireCodes(reply, []);
  const network = getByID(organization.networks, host.networkID);
  const fetched = reply.data as Fetched;
  const command = expectCommand(organization, host);
  if (fetched.command !== command)
    throw new Mismatch(`The model expects ${command} for ${hostID}; the server sent ${fetched.command}`);
  if (command === "DoUpdate") {
    addCertificate(organization, network, host, fetched.certificate);
    record(organization, hostID, ["host", hostID], "RENEWED");
  }
  if (command !== "NoOp") recordFetched(organization, network, host);
  requireFetched(organization, host, fetched);
}

export const updateAgent = (hostID: string): Call => ({
  text: `updateAgent of ${hostID}`,
  send: (driver) => settleAgent(() => update(driver, hostID)),
  accept: (state, reply) => acceptUpdate(state, reply, hostID),
});

/** Mostly a code that works. Only networks with version 2 certificates reject an old Nebula. */
function chooseEnrollment({ organizations }: State, choices: Choices, organization: number) {
  const { hosts, networks } = organizations[organization]!;
  const host = choices.pickAny(hosts.filter(({ code }) => code !== null));
  const code = choices.sometimes(5) ? "THIS-CODE-IS-WRONG" : host?.code;
  if (!host || !code) return undefined;
  const isOld = getByID(networks, host.networkID).certVersion === 2 && choices.sometimes(10);
  return { code, userAgent: isOld ? OLD_NEBULA : NEW_NEBULA };
}

export const agentCalls: CallFactories = {
  enrollHost: (state, choices) => {
    const enrollment = chooseEnrollment(state, choices, chooseOrganization(state, choices));
    if (!enrollment) return undefined;
    const { code, userAgent } = enrollment;
    return {
      text: `enrollHost with ${code} and ${userAgent}`,
      send: (driver) => settleAgent(() => enroll(driver, code, userAgent)),
      accept: (state_, reply) => acceptEnrollment(state_, reply, code, userAgent),
    };
  },

  /** Mostly an agent that should get an update. */
  updateAgent: (state, choices) => {
    const organization = state.organizations[chooseOrganization(state, choices)]!;
    const enrolled = organization.hosts.filter(({ wasEnrolled }) => wasEnrolled);
    const waiting = enrolled.filter(
      (host) => certificateInUse(host) && expectCommand(organization, host) !== "NoOp",
    );
    const host = choices.pickAny(waiting.length > 0 && !choices.sometimes(20) ? waiting : enrolled);
    return host && updateAgent(host.id);
  },
};
