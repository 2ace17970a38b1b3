/** The example in the documentation verifies what the server signs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { signatureHeaders } from "./signature.ts";

type Verify = (secret: string, headers: Record<string, string>, body: string) => boolean;

async function loadExample(): Promise<Verify> {
  const docs = readFileSync(join(import.meta.dirname, "../../../../docs/notifications.md"), "utf8");
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(docs) ?? [];
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  const { verifyWebhook } = (await import(/* @vite-ignore */ url)) as { verifyWebhook: Verify };
  return verifyWebhook;
}

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const previous = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const signed = (at: Date, secrets: string[]) =>
  signatureHeaders({ id: "delivery-1", at, body: '{"type":"TEST"}', secrets });

it("accepts requests that are signed with the secret, also while it is being rotated", async () => {
  const verify = await loadExample();
  const headers = signed(new Date(), [secret, previous]);
  expect(verify(secret, headers, '{"type":"TEST"}')).toBe(true);
  expect(verify(previous, headers, '{"type":"TEST"}')).toBe(true);
});

it("rejects another body, another secret and an old request", async () => {
  const verify = await loadExample();
  const headers = signed(new Date(), [secret]);
  expect(verify(secret, headers, '{"type":"OTHER"}')).toBe(false);
  expect(verify(previous, headers, '{"type":"TEST"}')).toBe(false);
  const old = signed(new Date(Date.now() - 10 * 60_000), [secret]);
  expect(verify(secret, old, '{"type":"TEST"}')).toBe(false);
});
