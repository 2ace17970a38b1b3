/** Accounts and objects for requests, created on demand and again after a reset. */
import { RequestError, scopes } from "@lightkeeper/contract";
import { insertApiKey } from "../api-keys.ts";
import { prepare } from "../requests.ts";
import type { Sample } from "../sample-inputs.ts";
import type { Session } from "../server.ts";
import type { FuzzFixture } from "./fuzz-fixture.ts";
import { creators, type Side } from "./object-references.ts";

/** `mixed` has the second factor of another account; a header is sent as is. */
export type Caller =
  | "owner"
  | "key"
  | "stranger"
  | "no second factor"
  | "mixed"
  | "no session"
  | { header: string };

export interface FuzzData {
  authorizationOf(caller: Caller): Promise<string | undefined>;
  objectID(side: Side, param: string): Promise<string>;
  /** The sample request of the endpoint, cached until discarded. */
  sample(): Promise<Sample>;
  discardSample(): void;
  /** Deletes all data. */
  reset(): Promise<void>;
}

function createCache(onCreate: () => void) {
  const cached = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, create: () => Promise<T>): Promise<T> => {
    const found = cached.get(key) as Promise<T> | undefined;
    if (found) return found;
    onCreate();
    const created = create();
    cached.set(key, created);
    return created;
  };
  return { once, discard: (key: string) => cached.delete(key), discardAll: () => cached.clear() };
}

interface Accounts {
  signUpOnce: (name: "owner" | "stranger") => Promise<Session>;
  createApiKeyOnce: () => Promise<string>;
}

async function tokensOf(
  caller: Exclude<Caller, object>,
  { signUpOnce, createApiKeyOnce }: Accounts,
): Promise<string[]> {
  switch (caller) {
    case "no session":
      return [];
    case "key":
      return [await createApiKeyOnce()];
    case "no second factor":
      return [(await signUpOnce("owner")).userToken];
    case "mixed":
      return [(await signUpOnce("owner")).userToken, (await signUpOnce("stranger")).authToken];
    case "owner":
    case "stranger": {
      const { userToken, authToken } = await signUpOnce(caller);
      return [userToken, authToken];
    }
  }
}

/** Calls `onCreate` whenever an object is created. */
export function createFuzzData(
  { server, database, observe, finishNotifications }: FuzzFixture,
  endpointName: string,
  onCreate: () => void,
): FuzzData {
  const { once, discard, discardAll } = createCache(onCreate);
  const signUpOnce = (name: "owner" | "stranger") => once(name, () => server.signUp());
  const createApiKeyOnce = () =>
    once("key", async () => (await insertApiKey(server, await signUpOnce("owner"), [...scopes])).token);
  const prepareSample = async (name: string, session: Session) => {
    await database.resetLimits();
    return prepare(name, server, session);
  };
  const reset = async () => {
    await observe();
    await finishNotifications();
    await database.clear();
    server.mails.length = 0;
    discardAll();
  };

  /** Starts with a new organization if this one has reached a limit, such as the address space of its networks. */
  async function prepareWithinLimits(name: string, person: "owner" | "stranger") {
    try {
      return await prepareSample(name, await signUpOnce(person));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      await reset();
      return prepareSample(name, await signUpOnce(person));
    }
  }

  return {
    reset,
    async authorizationOf(caller) {
      if (typeof caller === "object") return caller.header;
      const tokens = await tokensOf(caller, { signUpOnce, createApiKeyOnce });
      return tokens.length > 0 ? `Bearer ${tokens.join(" ")}` : undefined;
    },
    objectID: (side, param) =>
      once(`${side} ${param}`, async () => {
        const person = side === "own" ? "owner" : "stranger";
        const { params } = await prepareWithinLimits(creators.get(param) ?? "", person);
        return params?.[param] ?? "";
      }),
    sample: () => once("sample", () => prepareWithinLimits(endpointName, "owner")),
    discardSample: () => void discard("sample"),
  };
}
