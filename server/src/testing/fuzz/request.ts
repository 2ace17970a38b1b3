/** From a plan to the bytes that are sent. */
import type { Endpoint } from "@lightkeeper/contract";
import type { Sample } from "../sample-inputs.ts";
import type { BentCursor, Piece, QueryEntry } from "./address-plan.ts";
import type { BodyPlan, Damage } from "./body-plan.ts";
import { type Json, textNode, toNode, type Tree, write } from "./json-text.ts";
import { mutateAll } from "./mutations.ts";
import { oddString, oddValueText } from "./odd-values.ts";
import type { Plan } from "./plan.ts";
import { resolve } from "./things.ts";
import type { World } from "./world.ts";

export interface RawRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** Nothing has a reason to answer before the endpoint does. */
  reachesEndpoint: boolean;
}

const HEAD_LENGTH_MAX = 8000;
const MEDIA_TYPE = /^[\w-]+\/[\w-]+(;|$)/;
const TOO_MANY_BYTES = 1024 * 1024 + 1;

/** An unpaired surrogate cannot be encoded; what a decoder puts in its place can. */
const encode = (text: string) => encodeURIComponent(Buffer.from(text).toString());

const base64 = (text: string) => Buffer.from(text).toString("base64url");
const forgedCursor = `${base64("next")}.${base64(JSON.stringify([0, "2026-01-01T00:00:00.000Z", "a"]))}`;

function bend(cursor: string, { at, value }: BentCursor): string {
  const [direction = "", payload = ""] = cursor.split(".");
  const node = toNode(JSON.parse(Buffer.from(payload, "base64url").toString()) as Json[]) as Tree;
  const entry = node.entries[at % node.entries.length];
  if (entry) entry[1] = textNode(oddValueText(value));
  return `${direction}.${base64(write(node))}`;
}

type Fill = (text: string) => Promise<string>;

async function writePiece(piece: Exclude<Piece, "sample">, fill: Fill): Promise<string> {
  if ("raw" in piece) return piece.raw;
  return encode("odd" in piece ? oddString(piece.odd) : await fill(piece.text));
}

async function writeQueryEntry({ key, value }: QueryEntry, fill: Fill, cursor: string): Promise<string> {
  const name = key && `${encode(key)}=`;
  if (!("cursor" in value)) return `${name}${await writePiece(value, fill)}`;
  return `${name}${encode(value.cursor === "as it was" ? cursor : bend(cursor, value.cursor))}`;
}

function damaged(text: string, damage: Damage | null): Buffer {
  const bytes = Buffer.from(text);
  if (!damage) return bytes;
  if ("cutAt" in damage) return bytes.subarray(0, damage.cutAt);
  const { insertAt, bytes: inserted } = damage;
  return Buffer.concat([bytes.subarray(0, insertAt), Buffer.from(inserted), bytes.subarray(insertAt)]);
}

/** The sample with some of the drawn properties. */
function blend(sample: Sample, drawn: Json, take: number[]): Json {
  const entries = Object.entries((drawn ?? {}) as Record<string, Json>);
  const taken = take.flatMap((at) => entries.slice(at % Math.max(1, entries.length)).slice(0, 1));
  return { ...(sample.body as Record<string, Json>), ...Object.fromEntries(taken) };
}

async function writeBody(plan: BodyPlan, sample: Sample, fill: Fill): Promise<Buffer | undefined> {
  switch (plan.from) {
    case "nothing":
      return undefined;
    case "bytes":
      return Buffer.from(plan.bytes);
    case "nowhere":
      return Buffer.from(plan.text);
    case "too much":
      return Buffer.alloc(TOO_MANY_BYTES, " ");
    case "sample":
    case "schema": {
      const root = toNode(plan.from === "schema" ? plan.drawn : blend(sample, plan.drawn, plan.take));
      mutateAll(root, plan.mutations);
      return damaged(await fill(write(root)), plan.damage);
    }
  }
}

async function writePath(endpoint: Endpoint, plan: Plan, sample: Sample, fill: Fill) {
  let path = endpoint.path;
  let isExact = true;
  for (const [name, piece] of Object.entries(plan.params)) {
    const text = piece === "sample" ? encode(sample.params?.[name] ?? "") : await writePiece(piece, fill);
    if (text === "" || text === "." || text === ".." || (piece !== "sample" && "raw" in piece))
      isExact = false;
    path = path.replace(`{${name}}`, () => text);
  }
  return { path, isExact };
}

export async function render(
  endpoint: Endpoint,
  plan: Plan,
  world: World,
  cursor: string | undefined,
): Promise<RawRequest> {
  const fill = (text: string) => resolve(text, (side, param) => world.thing(side, param));
  const sample = await world.sample();
  const authorization = await world.authorizationOf(plan.who);
  const { path, isExact } = await writePath(endpoint, plan, sample, fill);
  const query: string[] = [];
  for (const entry of plan.query) query.push(await writeQueryEntry(entry, fill, cursor ?? forgedCursor));
  const target = query.length > 0 ? `${path}?${query.join("&")}` : path;
  const body = await writeBody(plan.body, sample, fill);
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
      MEDIA_TYPE.test(plan.contentType ?? "none/given") &&
      (!body || endpoint.body !== undefined),
  };
}
