/** Stripe, as far as it is used here: a local server that holds against its rules whatever it is sent. */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Stripe } from "stripe";

export const STRIPE_ENVIRONMENT = {
  STRIPE_SECRET_KEY: "sk_test_double",
  STRIPE_WEBHOOK_SECRET: "whsec_double",
  STRIPE_PRICE_ID: "price_host",
};

type Form = { [key: string]: string | Form };

interface Session {
  id: string;
  customer: string;
  quantity: number;
  status: "open" | "complete" | "expired";
  expires_at: number;
}

export interface Subscription {
  id: string;
  customer: string;
  status: string;
  quantity: number;
  cancel_at: number | null;
  periodEnd: number;
  card: { brand: string; last4: string } | null;
}

interface Request {
  method: string;
  path: string;
  params: Form;
  key: string | undefined;
}

export interface StripeDouble {
  url: string;
  customers: Map<string, { id: string; email: string; organizationID: string }>;
  sessions: Map<string, Session>;
  subscriptions: Map<string, Subscription>;
  invoices: object[];
  /** All that was asked, in order, but for what was refused for its form. */
  requests: Request[];
  /** What it was sent against its rules. */
  complaints: string[];
  /** Answers nothing but 500. */
  isDown: boolean;
  /** Waited for before the next answer to such a request is given, after it has been decided. */
  hold: ((request: Request) => Promise<void> | undefined) | undefined;
  /** Somebody pays. */
  pay: (session: Session, status?: string) => Subscription;
  close: () => Promise<void>;
}

const PERIOD_SECONDS = 30 * 86_400;
const seconds = () => Math.floor(Date.now() / 1000);
const newID = (prefix: string) => `${prefix}_${randomBytes(8).toString("hex")}`;

/** `a[b][0][c]=d` */
function parseForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "");
    let place = form;
    for (const part of path.slice(0, -1)) place = (place[part] ??= {}) as Form;
    place[path.at(-1) ?? ""] = value;
  }
  return form;
}

class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly code: string | undefined;

  constructor(status: number, type: string, code?: string) {
    super(`${type} ${code ?? ""}`);
    this.status = status;
    this.type = type;
    this.code = code;
  }
}

const missing = () => new Refusal(404, "invalid_request_error", "resource_missing");

function found<T>(things: Map<string, T>, id: string | undefined): T {
  const thing = things.get(id ?? "");
  if (!thing) throw missing();
  return thing;
}

const textOf = (value: string | Form | undefined) => (typeof value === "string" ? value : "");
const formOf = (value: string | Form | undefined) => (typeof value === "object" ? value : {});

const sessionObject = ({ id, customer, status, expires_at }: Session) => ({
  id,
  object: "checkout.session",
  customer,
  status,
  expires_at,
  url: status === "open" ? `https://checkout.stripe.example/${id}` : null,
});

export const subscriptionObject = (subscription: Subscription) => ({
  id: subscription.id,
  object: "subscription",
  status: subscription.status,
  cancel_at: subscription.cancel_at,
  cancel_at_period_end: false,
  customer: { id: subscription.customer, invoice_settings: { default_payment_method: null } },
  default_payment_method: subscription.card && { id: "pm_1", type: "card", card: subscription.card },
  items: {
    object: "list",
    data: [
      {
        id: `si_${subscription.id}`,
        quantity: subscription.quantity,
        current_period_end: subscription.periodEnd,
      },
    ],
  },
});

type Handler = (params: Form, id: string) => object;

/** By method and path; `*` is an id. */
function handlersOf(double: StripeDouble): Record<string, Handler> {
  const { customers, sessions, subscriptions } = double;
  const expect = (isRight: boolean, rule: string) => {
    if (isRight) return;
    double.complaints.push(rule);
    throw new Refusal(400, "invalid_request_error", "parameter_invalid");
  };
  return {
    "POST /v1/customers": ({ email, metadata }) => {
      const { organizationID } = formOf(metadata);
      expect(textOf(organizationID).startsWith("org-"), "a customer names its organization");
      const customer = { id: newID("cus"), email: textOf(email), organizationID: textOf(organizationID) };
      customers.set(customer.id, customer);
      return { object: "customer", ...customer };
    },
    "POST /v1/checkout/sessions": (params) => {
      const { organizationID } = found(customers, textOf(params.customer));
      const item = formOf(formOf(params.line_items)["0"]);
      expect(params.mode === "subscription", "a checkout is for a subscription");
      expect(item.price === STRIPE_ENVIRONMENT.STRIPE_PRICE_ID, "a checkout is for the price of a host");
      expect(/^[1-9]\d*$/.test(textOf(item.quantity)), "a checkout is for one host at least");
      expect(params.client_reference_id === organizationID, "a checkout is the organization's");
      expect(URL.canParse(textOf(params.success_url)), "a checkout ends somewhere");
      expect(URL.canParse(textOf(params.cancel_url)), "a checkout can be left");
      const session: Session = {
        id: newID("cs"),
        customer: textOf(params.customer),
        quantity: Number(item.quantity),
        status: "open",
        expires_at: seconds() + 86_400,
      };
      sessions.set(session.id, session);
      return sessionObject(session);
    },
    "GET /v1/checkout/sessions/*": (_params, id) => sessionObject(found(sessions, id)),
    "POST /v1/checkout/sessions/*/expire": (_params, id) => {
      const session = found(sessions, id);
      expect(session.status === "open", "only an open session can be expired");
      session.status = "expired";
      return sessionObject(session);
    },
    "GET /v1/subscriptions": ({ customer, status }) => {
      expect(status === "all", "subscriptions that are over are asked for, too");
      const theirs = [...subscriptions.values()].filter((one) => one.customer === customer).reverse();
      return { object: "list", data: theirs.map(subscriptionObject), has_more: false };
    },
    "DELETE /v1/subscriptions/*": (params, id) => {
      const subscription = found(subscriptions, id);
      if (subscription.status === "canceled") throw missing();
      expect(params.prorate === "true" && params.invoice_now === "true", "what is left is credited");
      subscription.status = "canceled";
      return subscriptionObject(subscription);
    },
    "POST /v1/subscription_items/*": ({ quantity }, id) => {
      const subscription = found(subscriptions, id.replace("si_", ""));
      expect(/^\d+$/.test(textOf(quantity)), "a quantity is a number");
      subscription.quantity = Number(quantity);
      return { id, object: "subscription_item", quantity: subscription.quantity };
    },
    "POST /v1/billing_portal/sessions": ({ customer, return_url }) => {
      found(customers, textOf(customer));
      expect(URL.canParse(textOf(return_url)), "one comes back from the portal");
      return { object: "billing_portal.session", url: `https://portal.stripe.example/${textOf(customer)}` };
    },
    "GET /v1/invoices": ({ customer }) => {
      found(customers, textOf(customer));
      return { object: "list", data: double.invoices, has_more: false };
    },
  };
}

function refuseForm({ method, headers }: IncomingMessage, body: string): string | undefined {
  if (headers.authorization !== `Bearer ${STRIPE_ENVIRONMENT.STRIPE_SECRET_KEY}`) return "no key";
  if (headers["stripe-version"] !== Stripe.API_VERSION) return `version ${String(headers["stripe-version"])}`;
  if (method === "POST" && !headers["idempotency-key"]) return "a POST without an idempotency key";
  if (body && headers["content-type"] !== "application/x-www-form-urlencoded")
    return `content type ${headers["content-type"]}`;
  return undefined;
}

/** The answer to a key that has been seen is the answer it got; with other parameters it is refused. */
function createReplies(answer: (request: Request) => object) {
  const given = new Map<string, { asked: string; answer: object }>();
  return (request: Request): object => {
    if (!request.key || request.method !== "POST") return answer(request);
    const asked = JSON.stringify([request.path, request.params]);
    const before = given.get(request.key);
    if (before && before.asked !== asked) throw new Refusal(400, "idempotency_error");
    if (before) return before.answer;
    const made = answer(request);
    given.set(request.key, { asked, answer: made });
    return made;
  };
}

export async function startStripeDouble(): Promise<StripeDouble> {
  const server = createServer();
  const double: StripeDouble = {
    url: "",
    customers: new Map(),
    sessions: new Map(),
    subscriptions: new Map(),
    invoices: [],
    requests: [],
    complaints: [],
    isDown: false,
    hold: undefined,
    pay(session, status = "active") {
      session.status = "complete";
      const subscription: Subscription = {
        id: newID("sub"),
        customer: session.customer,
        status,
        quantity: session.quantity,
        cancel_at: null,
        periodEnd: seconds() + PERIOD_SECONDS,
        card: { brand: "visa", last4: "4242" },
      };
      double.subscriptions.set(subscription.id, subscription);
      return subscription;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const handlers = handlersOf(double);
  const reply = createReplies(({ method, path, params }) => {
    const [, id = ""] = /\/((?:cs|sub|si)_\w+)/.exec(path) ?? [];
    const handle = handlers[`${method} ${id ? path.replace(id, "*") : path}`];
    if (!handle) throw missing();
    return handle(params, id);
  });

  async function answer(incoming: IncomingMessage): Promise<object> {
    let body = "";
    for await (const chunk of incoming) body += String(chunk);
    if (double.isDown) throw new Refusal(500, "api_error");
    const complaint = refuseForm(incoming, body);
    if (complaint) {
      double.complaints.push(complaint);
      throw new Refusal(401, "invalid_request_error");
    }
    const { pathname, search } = new URL(incoming.url ?? "", "http://double");
    const key = incoming.headers["idempotency-key"];
    const request: Request = {
      method: incoming.method ?? "",
      path: pathname,
      params: { ...parseForm(search), ...parseForm(body) },
      key: typeof key === "string" ? key : undefined,
    };
    double.requests.push(request);
    const decided = JSON.stringify(reply(request));
    await double.hold?.(request);
    return JSON.parse(decided) as object;
  }

  server.on("request", (incoming, response) => {
    answer(incoming).then(
      (object) => response.setHeader("content-type", "application/json").end(JSON.stringify(object)),
      (error: unknown) => {
        const { status, type, code, message } =
          error instanceof Refusal ? error : new Refusal(500, "api_error", String(error));
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { type, code, message } }));
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return double;
}

/** What Stripe sends when something has happened, signed as of `at`. */
export function signedEvent(
  type: string,
  object: object,
  { at = new Date(), secret = STRIPE_ENVIRONMENT.STRIPE_WEBHOOK_SECRET }: { at?: Date; secret?: string } = {},
): { payload: string; signature: string } {
  const timestamp = Math.floor(at.getTime() / 1000);
  const payload = JSON.stringify({
    id: newID("evt"),
    object: "event",
    type,
    created: timestamp,
    api_version: Stripe.API_VERSION,
    data: { object },
  });
  const signature = new Stripe("sk_unused").webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return { payload, signature };
}
