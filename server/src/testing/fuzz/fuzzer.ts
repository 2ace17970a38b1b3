/** Sends generated requests to one endpoint and checks the invariants. */
import { type Endpoint, isWrite, type ListMetadata } from "@lightkeeper/contract";
import { changedTables, type DatabaseState } from "./database-snapshot.ts";
import { describeExchange, findProblem } from "./check-response.ts";
import type { FuzzFixture } from "./fuzz-fixture.ts";
import type { Plan } from "./plan.ts";
import { render } from "./render-request.ts";
import type { RawResponse } from "./raw-sender.ts";
import { creators } from "./object-references.ts";
import { createFuzzData } from "./fuzz-data.ts";

export interface Tally {
  requests: number;
  accepted: number;
}

export interface Fuzzer {
  tally: Tally;
  /** Throws if an invariant is violated. */
  attempt: (plan: Plan) => Promise<void>;
}

/** Tables that a rejected request may change. */
const allowedChanges: Record<string, string[]> = {
  // A wrong code writes a FAILED_AUTH entry.
  logInWithTotp: ["audit_logs"],
  verifyTotpAuthenticator: ["audit_logs"],
  logInWithRecoveryCode: ["audit_logs"],
};

/** After this many writes, checking the organization takes too long. */
const WRITES_MAX = 50;

const LOGGED_PROBLEM = "The server logged a problem";

const nextCursorOf = (text: string) => (JSON.parse(text) as { metadata: ListMetadata }).metadata.nextCursor;

function findStateProblem(name: string, changed: string[]): string | undefined {
  const tables = changed.filter((table) => !allowedChanges[name]?.includes(table));
  return tables.length > 0 ? `Rejected, but it changed ${tables.join(", ")}` : undefined;
}

export async function createFuzzer(fixture: FuzzFixture, name: string, endpoint: Endpoint): Promise<Fuzzer> {
  const { database, sender, observe, takeLoggedProblems } = fixture;
  const tally: Tally = { requests: 0, accepted: 0 };
  let cursor: string | undefined;
  let latest: DatabaseState | undefined;
  const data = createFuzzData(fixture, name, () => (latest = undefined));

  const changesSince = async (before: DatabaseState): Promise<string[]> => {
    latest = await observe();
    return changedTables(before, latest);
  };

  async function accept({ text }: RawResponse, before: DatabaseState): Promise<void> {
    tally.accepted++;
    if (endpoint.response.kind === "list") cursor = nextCursorOf(text) ?? cursor;
    if (!isWrite(endpoint)) return;
    const changed = await changesSince(before);
    if (endpoint.method === "DELETE" || (endpoint.method === "POST" && endpoint.body)) data.discardSample();
    const isLoggedOut = endpoint.method === "DELETE" && changed.includes("auth_tokens");
    if (isLoggedOut || tally.accepted % WRITES_MAX === 0) await data.reset();
  }

  await data.reset();
  // An empty list returns no cursor.
  if (endpoint.response.kind === "list")
    for (const param of creators.keys()) await data.objectID("own", param);

  return {
    tally,
    async attempt(plan) {
      const request = await render(endpoint, plan, data, cursor);
      const before = (latest ??= await observe());
      const response = await sender.send(request);
      tally.requests++;
      let problem = findProblem(endpoint, request, response);
      if (!problem && response.status === 200) await accept(response, before);
      if (!problem && response.status !== 200) problem = findStateProblem(name, await changesSince(before));
      if (response.status === 429) await database.resetLimits();
      const logged = takeLoggedProblems();
      if (problem ?? logged[0])
        throw new Error(
          [problem ?? LOGGED_PROBLEM, describeExchange(request, response), ...logged].join("\n"),
        );
    },
  };
}
