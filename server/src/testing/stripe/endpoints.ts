/** What the fake Stripe responds, and which rules it enforces. */
import { DAY_SECONDS } from "../../infrastructure/time/durations.ts";
import { type Form, toForm, toText } from "./forms.ts";
import {
  type CheckoutSession,
  newID,
  nowSeconds,
  sessionObject,
  type StripeRecords,
  subscriptionObject,
} from "./objects.ts";
import { STRIPE_ENVIRONMENT } from "./environment.ts";
import { getObject, missing, StripeError } from "./stripe-error.ts";

type Handler = (params: Form, id: string) => object;

/** Handlers by method and path; `*` is an ID. */
type Endpoints = Record<string, Handler>;

type RequireRule = (isValid: boolean, rule: string) => void;

export function createEndpoints(stripe: StripeRecords): Endpoints {
  const requireRule: RequireRule = (isValid, rule) => {
    if (isValid) return;
    stripe.violations.push(rule);
    throw new StripeError(400, "invalid_request_error", "parameter_invalid");
  };
  return { ...checkoutEndpoints(stripe, requireRule), ...subscriptionEndpoints(stripe, requireRule) };
}

function checkoutEndpoints({ customers, sessions }: StripeRecords, requireRule: RequireRule): Endpoints {
  return {
    "POST /v1/customers": ({ email, metadata }) => {
      const { organizationID } = toForm(metadata);
      requireRule(toText(organizationID).startsWith("org-"), "a customer has its organization as metadata");
      const customer = { id: newID("cus"), email: toText(email), organizationID: toText(organizationID) };
      customers.set(customer.id, customer);
      return { object: "customer", ...customer };
    },
    "POST /v1/checkout/sessions": (params) => {
      const { organizationID } = getObject(customers, toText(params.customer));
      const item = toForm(toForm(params.line_items)["0"]);
      requireRule(params.mode === "subscription", "a checkout is for a subscription");
      requireRule(item.price === STRIPE_ENVIRONMENT.STRIPE_PRICE_ID, "a checkout is for the price of a host");
      requireRule(/^[1-9]\d*$/.test(toText(item.quantity)), "a checkout is for at least one host");
      requireRule(params.client_reference_id === organizationID, "a checkout refers to the organization");
      requireRule(URL.canParse(toText(params.success_url)), "a checkout has a success URL");
      requireRule(URL.canParse(toText(params.cancel_url)), "a checkout has a cancel URL");
      const session: CheckoutSession = {
        id: newID("cs"),
        customer: toText(params.customer),
        quantity: Number(item.quantity),
        status: "open",
        expires_at: nowSeconds() + DAY_SECONDS,
      };
      sessions.set(session.id, session);
      return sessionObject(session);
    },
    "GET /v1/checkout/sessions/*": (_params, id) => sessionObject(getObject(sessions, id)),
    "POST /v1/checkout/sessions/*/expire": (_params, id) => {
      const session = getObject(sessions, id);
      requireRule(session.status === "open", "only an open session can be expired");
      session.status = "expired";
      return sessionObject(session);
    },
  };
}

function subscriptionEndpoints(stripe: StripeRecords, requireRule: RequireRule): Endpoints {
  const { customers, subscriptions } = stripe;
  return {
    "GET /v1/subscriptions": ({ customer, status }) => {
      requireRule(status === "all", "ended subscriptions are listed too");
      const ofCustomer = [...subscriptions.values()]
        .filter((subscription) => subscription.customer === customer)
        .reverse();
      return { object: "list", data: ofCustomer.map(subscriptionObject), has_more: false };
    },
    "DELETE /v1/subscriptions/*": (params, id) => {
      const subscription = getObject(subscriptions, id);
      if (subscription.status === "canceled") throw missing();
      requireRule(
        params.prorate === "true" && params.invoice_now === "true",
        "a canceled subscription is prorated",
      );
      subscription.status = "canceled";
      return subscriptionObject(subscription);
    },
    "POST /v1/subscription_items/*": ({ quantity }, id) => {
      const subscription = getObject(subscriptions, id.replace("si_", ""));
      requireRule(/^\d+$/.test(toText(quantity)), "a quantity is a number");
      subscription.quantity = Number(quantity);
      return { id, object: "subscription_item", quantity: subscription.quantity };
    },
    "POST /v1/billing_portal/sessions": ({ customer, return_url }) => {
      getObject(customers, toText(customer));
      requireRule(URL.canParse(toText(return_url)), "the portal has a return URL");
      return { object: "billing_portal.session", url: `https://portal.stripe.example/${toText(customer)}` };
    },
    "GET /v1/invoices": ({ customer }) => {
      getObject(customers, toText(customer));
      return { object: "list", data: stripe.invoices, has_more: false };
    },
  };
}
