/** Signs requests as the Standard Webhooks specification says. */
import { createHmac } from "node:crypto";

const SECRET_PREFIX = "whsec_";

function signWith(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}

interface SignedRequest {
  id: string;
  at: Date;
  body: string;
  /** While a secret is being rotated, there are two. */
  secrets: readonly string[];
}

export function signatureHeaders({ id, at, body, secrets }: SignedRequest): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => signWith(secret, `${id}.${timestamp}.${body}`));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}
