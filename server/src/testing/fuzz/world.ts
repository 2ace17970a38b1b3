/** Who asks and what they have, made when first needed and made anew when gone or grown. */
import { RequestError, scopes } from "@lightkeeper/contract";
import { insertApiKey } from "../api-keys.ts";
import { prepare } from "../requests.ts";
import type { Sample } from "../sample-inputs.ts";
import type { Session } from "../server.ts";
import type { Laboratory } from "./laboratory.ts";
import { makers, type Side } from "./things.ts";

/** In whose name: `half` without the second factor, `mixed` with somebody else's, or a header as it stands. */
export type Who = "owner" | "key" | "stranger" | "half" | "mixed" | "nobody" | { header: string };

export interface World {
  authorizationOf(who: Who): Promise<string | undefined>;
  thing(side: Side, param: string): Promise<string>;
  /** What `prepare` gives for the endpoint, kept until it is used up. */
  sample(): Promise<Sample>;
  useUp(): void;
  /** As if nobody had ever been here. */
  startOver(): Promise<void>;
}

function remembering(onMake: () => void) {
  const known = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, make: () => Promise<T>): Promise<T> => {
    const found = known.get(key) as Promise<T> | undefined;
    if (found) return found;
    onMake();
    const made = make();
    known.set(key, made);
    return made;
  };
  return { once, forget: (key: string) => known.delete(key), forgetAll: () => known.clear() };
}

/** `onMake` hears of everything that is made. */
export function createWorld(
  { server, database, observe }: Laboratory,
  endpointName: string,
  onMake: () => void,
): World {
  const { once, forget, forgetAll } = remembering(onMake);
  const person = (name: string) => once(name, () => server.signUp());
  const owner = () => person("owner");
  const personOn = (side: Side) => (side === "own" ? owner() : person("stranger"));
  const prepared = async (name: string, session: Session) => {
    await database.liftLimits();
    return prepare(name, server, session);
  };

  const startOver = async () => {
    await observe();
    await database.clear();
    server.mails.length = 0;
    forgetAll();
  };

  const tokensOf = async (who: Exclude<Who, object>): Promise<string[]> => {
    switch (who) {
      case "nobody":
        return [];
      case "key":
        return [
          await once("key", async () => (await insertApiKey(server, await owner(), [...scopes])).token),
        ];
      case "half":
        return [(await owner()).userToken];
      case "mixed":
        return [(await owner()).userToken, (await person("stranger")).authToken];
      case "owner":
      case "stranger": {
        const { userToken, authToken } = await person(who);
        return [userToken, authToken];
      }
    }
  };

  return {
    startOver,
    async authorizationOf(who) {
      if (typeof who === "object") return who.header;
      const tokens = await tokensOf(who);
      return tokens.length > 0 ? `Bearer ${tokens.join(" ")}` : undefined;
    },
    thing: (side, param) =>
      once(`${side} ${param}`, async () => {
        const { params } = await prepared(makers.get(param) ?? "", await personOn(side));
        return params?.[param] ?? "";
      }),
    sample: () =>
      once("sample", async () => {
        try {
          return await prepared(endpointName, await owner());
        } catch (error) {
          // The organization may have all that it is allowed.
          if (!(error instanceof RequestError)) throw error;
          await startOver();
          return prepared(endpointName, await owner());
        }
      }),
    useUp: () => void forget("sample"),
  };
}
