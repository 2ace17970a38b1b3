import type { Change } from "@lightkeeper/contract";
import type { Session, TestServer } from "./server.ts";

export interface EventReader {
  response: Response;
  changes: Change[];
  /** Resolves when the server ends the stream. */
  ended: Promise<void>;
  close: () => void;
}

type Tokens = Pick<Session, "userToken" | "authToken">;

/** Reads /v1/events as a console does; resolves after the first heartbeat. */
export async function readEvents(server: TestServer, { userToken, authToken }: Tokens): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(`${server.url}/v1/events`, {
    headers: { authorization: `Bearer ${userToken} ${authToken}` },
    signal: abort.signal,
  });
  if (!response.ok || !response.body) throw new Error(`The stream was rejected with ${response.status}`);
  const changes: Change[] = [];
  const addChange = (message: string) => {
    const data = /^event: change\ndata: (.*)$/.exec(message)?.[1];
    if (data) changes.push(JSON.parse(data) as Change);
  };
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const readNext = async (): Promise<boolean> => {
    const { done, value = "" } = await reader.read();
    const messages = `${rest}${value}`.split("\n\n");
    rest = messages.pop() ?? "";
    messages.forEach(addChange);
    return !done;
  };
  await readNext();
  const readAll = async () => {
    while (await readNext());
  };
  return {
    response,
    changes,
    ended: readAll().catch((error: Error) => {
      if (error.name !== "AbortError") throw error;
    }),
    close: () => abort.abort(),
  };
}
