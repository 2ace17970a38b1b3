/** A local server that implements the part of Stripe's API that is used here, and checks the requests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Stripe } from "stripe";
import { DAY_SECONDS } from "../../infrastructure/time/durations.ts";
import { createEndpoints } from "./endpoints.ts";
import { STRIPE_ENVIRONMENT } from "./environment.ts";
import { type Form, parseForm } from "./forms.ts";
import { type CheckoutSession, newID, nowSeconds, type StripeRecords, type Subscription } from "./objects.ts";
import { missing, StripeError } from "./stripe-error.ts";

export interface StripeRequest {
  method: string;
  path: string;
  params: Form;
  key: string | undefined;
}

export interface FakeStripe extends StripeRecords {
  url: string;
  /** Well-formed requests, in order. */
  requests: StripeRequest[];
  /** Responds with 500 only. */
  isDown: boolean;
  /** Delays the response after it has been computed. */
  beforeResponse: ((request: StripeRequest) => Promise<void> | undefined) | undefined;
  /** Completes a checkout. */
  pay: (session: CheckoutSession, status?: string) => Subscription;
  close: () => Promise<void>;
}

function validateRequest({ method, headers }: IncomingMessage, body: string): string | undefined {
  if (headers.authorization !== `Bearer ${STRIPE_ENVIRONMENT.STRIPE_SECRET_KEY}`) return "no key";
  if (headers["stripe-version"] !== Stripe.API_VERSION) return `version ${String(headers["stripe-version"])}`;
  if (method === "POST" && !headers["idempotency-key"]) return "a POST without an idempotency key";
  if (body && headers["content-type"] !== "application/x-www-form-urlencoded")
    return `content type ${headers["content-type"]}`;
  return undefined;
}

/** Repeats the reply to a known idempotency key, and rejects the key with other parameters. */
function createIdempotentReplies(reply: (request: StripeRequest) => object) {
  const replies = new Map<string, { parameters: string; reply: object }>();
  return (request: StripeRequest): object => {
    if (!request.key || request.method !== "POST") return reply(request);
    const parameters = JSON.stringify([request.path, request.params]);
    const previous = replies.get(request.key);
    if (previous && previous.parameters !== parameters) throw new StripeError(400, "idempotency_error");
    if (previous) return previous.reply;
    const response = reply(request);
    replies.set(request.key, { parameters, reply: response });
    return response;
  };
}

function createFakeStripe(server: Server): FakeStripe {
  const stripe: FakeStripe = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    customers: new Map(),
    sessions: new Map(),
    subscriptions: new Map(),
    invoices: [],
    requests: [],
    violations: [],
    isDown: false,
    beforeResponse: undefined,
    pay(session, status = "active") {
      session.status = "complete";
      const subscription: Subscription = {
        id: newID("sub"),
        customer: session.customer,
        status,
        quantity: session.quantity,
        cancel_at: null,
        periodEnd: nowSeconds() + 30 * DAY_SECONDS,
        card: { brand: "visa", last4: "4242" },
      };
      stripe.subscriptions.set(subscription.id, subscription);
      return subscription;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return stripe;
}

/** Reads a request; throws if the fake is down or the request is malformed. */
async function readRequest(stripe: FakeStripe, incoming: IncomingMessage): Promise<StripeRequest> {
  let body = "";
  for await (const chunk of incoming) body += String(chunk);
  if (stripe.isDown) throw new StripeError(500, "api_error");
  const violation = validateRequest(incoming, body);
  if (violation) {
    stripe.violations.push(violation);
    throw new StripeError(401, "invalid_request_error");
  }
  const { pathname, search } = new URL(incoming.url ?? "", "http://stripe.example");
  const key = incoming.headers["idempotency-key"];
  return {
    method: incoming.method ?? "",
    path: pathname,
    params: { ...parseForm(search), ...parseForm(body) },
    key: typeof key === "string" ? key : undefined,
  };
}

function sendError(response: ServerResponse, error: unknown): void {
  const { status, type, code, message } =
    error instanceof StripeError ? error : new StripeError(500, "api_error", String(error));
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { type, code, message } }));
}

export async function startFakeStripe(): Promise<FakeStripe> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stripe = createFakeStripe(server);
  const endpoints = createEndpoints(stripe);
  const reply = createIdempotentReplies(({ method, path, params }) => {
    const [, id = ""] = /\/((?:cs|sub|si)_\w+)/.exec(path) ?? [];
    const handle = endpoints[`${method} ${id ? path.replace(id, "*") : path}`];
    if (!handle) throw missing();
    return handle(params, id);
  });

  async function respond(incoming: IncomingMessage): Promise<string> {
    const request = await readRequest(stripe, incoming);
    stripe.requests.push(request);
    const text = JSON.stringify(reply(request));
    await stripe.beforeResponse?.(request);
    return text;
  }
  server.on("request", (incoming, response) => {
    respond(incoming).then(
      (text) => response.setHeader("content-type", "application/json").end(text),
      (error: unknown) => sendError(response, error),
    );
  });
  return stripe;
}
