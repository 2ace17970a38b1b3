/** Renders a plan as the bytes of a request. */
import type { Endpoint } from "@lightkeeper/contract";
import type { Sample } from "../sample-inputs.ts";
import type { AlteredCursor, UrlPart, QueryEntry } from "./url-plan.ts";
import type { BodyPlan, Damage } from "./body-plan.ts";
import { type Json, textNode, toNode, type Tree, write } from "./json-text.ts";
import { mutateAll } from "./mutations.ts";
import { edgeCaseString, edgeCaseText } from "./edge-case-values.ts";
import type { Plan } from "./plan.ts";
import { resolveReferences } from "./object-references.ts";
import type { FuzzData } from "./fuzz-data.ts";
import type { RawRequest } from "./raw-sender.ts";

const HEAD_LENGTH_MAX = 8000;
const MEDIA_TYPE = /^[\w-]+\/[\w-]+(;|$)/;
const TOO_MANY_BYTES = 1024 * 1024 + 1;

/** Replaces unpaired surrogates, which cannot be encoded. */
const encode = (text: string) => encodeURIComponent(Buffer.from(text).toString());

const base64 = (text: string) => Buffer.from(text).toString("base64url");
const forgedCursor = `${base64("next")}.${base64(JSON.stringify([0, "2026-01-01T00:00:00.000Z", "a"]))}`;

function alterCursor(cursor: string, { at, value }: AlteredCursor): string {
  const [direction = "", payload = ""] = cursor.split(".");
  const node = toNode(JSON.parse(Buffer.from(payload, "base64url").toString()) as Json[]) as Tree;
  const entry = node.entries[at % node.entries.length];
  if (entry) entry[1] = textNode(edgeCaseText(value));
  return `${direction}.${base64(write(node))}`;
}

type ResolveText = (text: string) => Promise<string>;

async function writeUrlPart(part: Exclude<UrlPart, "sample">, resolveText: ResolveText): Promise<string> {
  if ("raw" in part) return part.raw;
  return encode("edgeCase" in part ? edgeCaseString(part.edgeCase) : await resolveText(part.text));
}

async function writeQueryEntry(
  { key, value }: QueryEntry,
  resolveText: ResolveText,
  cursor: string,
): Promise<string> {
  const name = key && `${encode(key)}=`;
  if (!("cursor" in value)) return `${name}${await writeUrlPart(value, resolveText)}`;
  return `${name}${encode(value.cursor === "unchanged" ? cursor : alterCursor(cursor, value.cursor))}`;
}

function applyDamage(text: string, damage: Damage | null): Buffer {
  const bytes = Buffer.from(text);
  if (!damage) return bytes;
  if ("cutAt" in damage) return bytes.subarray(0, damage.cutAt);
  const { insertAt, bytes: inserted } = damage;
  return Buffer.concat([bytes.subarray(0, insertAt), Buffer.from(inserted), bytes.subarray(insertAt)]);
}

/** Adds some of the generated properties to the sample. */
function mergeIntoSample(sample: Sample, generated: Json, take: number[]): Json {
  const entries = Object.entries((generated ?? {}) as Record<string, Json>);
  const selected = take.flatMap((at) => entries.slice(at % Math.max(1, entries.length)).slice(0, 1));
  return { ...(sample.body as Record<string, Json>), ...Object.fromEntries(selected) };
}

async function writeBody(
  plan: BodyPlan,
  sample: Sample,
  resolveText: ResolveText,
): Promise<Buffer | undefined> {
  switch (plan.from) {
    case "no body":
      return undefined;
    case "bytes":
      return Buffer.from(plan.bytes);
    case "text":
      return Buffer.from(plan.text);
    case "oversized":
      return Buffer.alloc(TOO_MANY_BYTES, " ");
    case "sample":
    case "schema": {
      const root = toNode(
        plan.from === "schema" ? plan.generated : mergeIntoSample(sample, plan.generated, plan.take),
      );
      mutateAll(root, plan.mutations);
      return applyDamage(await resolveText(write(root)), plan.damage);
    }
  }
}

async function writePath(endpoint: Endpoint, plan: Plan, sample: Sample, resolveText: ResolveText) {
  let path = endpoint.path;
  let isExact = true;
  for (const [name, part] of Object.entries(plan.params)) {
    const text =
      part === "sample" ? encode(sample.params?.[name] ?? "") : await writeUrlPart(part, resolveText);
    if (text === "" || text === "." || text === ".." || (part !== "sample" && "raw" in part)) isExact = false;
    path = path.replace(`{${name}}`, () => text);
  }
  return { path, isExact };
}

export async function render(
  endpoint: Endpoint,
  plan: Plan,
  data: FuzzData,
  cursor: string | undefined,
): Promise<RawRequest> {
  const resolveText = (text: string) => resolveReferences(text, (side, param) => data.objectID(side, param));
  const sample = await data.sample();
  const authorization = await data.authorizationOf(plan.caller);
  const { path, isExact } = await writePath(endpoint, plan, sample, resolveText);
  const query: string[] = [];
  for (const entry of plan.query)
    query.push(await writeQueryEntry(entry, resolveText, cursor ?? forgedCursor));
  const target = query.length > 0 ? `${path}?${query.join("&")}` : path;
  const body = await writeBody(plan.body, sample, resolveText);
  return {
    method: endpoint.method,
    path: target,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(plan.contentType !== null && { "content-type": plan.contentType }),
    },
    body,
    reachesEndpoint:
      isExact &&
      target.length < HEAD_LENGTH_MAX &&
      MEDIA_TYPE.test(plan.contentType ?? "none/none") &&
      (!body || endpoint.body !== undefined),
  };
}
