/** Carries out plans against one endpoint, and holds what comes of it against what may never happen. */
import { type Endpoint, isWrite, type ListMetadata } from "@lightkeeper/contract";
import { changedTables, type DatabaseState } from "./database.ts";
import { describeExchange, faultOf } from "./judge.ts";
import type { Laboratory } from "./laboratory.ts";
import type { Plan } from "./plan.ts";
import { render } from "./request.ts";
import type { RawResponse } from "./send.ts";
import { makers } from "./things.ts";
import { createWorld } from "./world.ts";

export interface Tally {
  requests: number;
  accepted: number;
}

export interface Fuzzer {
  tally: Tally;
  /** Throws when something happened that never may. */
  attempt: (plan: Plan) => Promise<void>;
}

/** What a refusal writes down on purpose. */
const notes: Record<string, string[]> = {
  // A wrong code leaves FAILED_AUTH.
  logInWithTotp: ["audit_logs"],
  verifyTotpAuthenticator: ["audit_logs"],
};

/** After so many successful writes an organization takes too long to be looked through. */
const WRITES_MAX = 50;

export async function createFuzzer(
  laboratory: Laboratory,
  name: string,
  endpoint: Endpoint,
): Promise<Fuzzer> {
  const { database, sender, observe, complaints } = laboratory;
  const tally: Tally = { requests: 0, accepted: 0 };
  let cursor: string | undefined;
  let known: DatabaseState | undefined;
  const world = createWorld(laboratory, name, () => (known = undefined));

  const changesSince = async (before: DatabaseState): Promise<string[]> => {
    known = await observe();
    return changedTables(before, known);
  };

  async function accept({ text }: RawResponse, before: DatabaseState): Promise<void> {
    tally.accepted++;
    if (endpoint.response.kind === "list")
      cursor = (JSON.parse(text) as { metadata: ListMetadata }).metadata.nextCursor ?? cursor;
    if (!isWrite(endpoint)) return;
    const changed = await changesSince(before);
    if (endpoint.method === "DELETE" || (endpoint.method === "POST" && endpoint.body)) world.useUp();
    const somebodyLeft = endpoint.method === "DELETE" && changed.includes("auth_tokens");
    if (somebodyLeft || tally.accepted % WRITES_MAX === 0) await world.startOver();
  }

  async function faultOfState(before: DatabaseState): Promise<string | undefined> {
    const changed = (await changesSince(before)).filter((table) => !notes[name]?.includes(table));
    return changed.length > 0 ? `Refused, and yet it changed ${changed.join(", ")}` : undefined;
  }

  await world.startOver();
  // A list of nothing gives no cursor.
  if (endpoint.response.kind === "list") for (const param of makers.keys()) await world.thing("own", param);

  return {
    tally,
    async attempt(plan) {
      const request = await render(endpoint, plan, world, cursor);
      const before = (known ??= await observe());
      const answer = await sender.send(request);
      tally.requests++;
      let fault = faultOf(endpoint, request, answer);
      if (!fault && answer.status === 200) await accept(answer, before);
      if (!fault && answer.status !== 200) fault = await faultOfState(before);
      if (answer.status === 429) await database.liftLimits();
      const logged = complaints();
      if (fault ?? logged[0])
        throw new Error(
          [fault ?? "The log complains", describeExchange(request, answer), ...logged].join("\n"),
        );
    },
  };
}
