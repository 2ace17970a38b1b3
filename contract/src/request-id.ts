/** Request IDs: a client sends one with each request, and the server logs it on each line of the request. */
export const REQUEST_ID_HEADER = "x-request-id";

const RANDOM_CHARACTERS = 26;

/** Without randomUUID, which browsers offer only to pages with HTTPS. */
export const createRequestID = (): string =>
  `req-${Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_CHARACTERS)), (byte) => (byte % 32).toString(32)).join("")}`;

/** Whether a header can be used as the ID: short, and without characters that mean something in a log or a search. */
export const isRequestID = (text: unknown): text is string =>
  typeof text === "string" && /^[A-Za-z0-9._-]{8,64}$/.test(text);
