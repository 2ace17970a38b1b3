import { Readable } from "node:stream";
import { sendAgentMessage } from "@lightkeeper/contract";
import type { FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { readRequestBody } from "./json-body.ts";

function requestWith(contentLength: number | undefined) {
  const body = new Readable({ read: () => undefined, autoDestroy: false });
  const headers = contentLength === undefined ? {} : { "content-length": String(contentLength) };
  return { body, request: { headers, body } as unknown as FastifyRequest };
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read).toString();
}

it("a body of a known, short length leaves no listeners behind while the request waits", async () => {
  const { body, request } = requestWith(20);
  const before = body.eventNames();
  const reading = readRequestBody(sendAgentMessage, request);
  body.push('{"version"');
  body.push(":1} and more");
  body.push(null);
  const { value, rest } = await reading;
  expect(value).toEqual({ version: 1 });
  expect(body.eventNames()).toEqual(before);
  expect(await collect(rest)).toBe(" and more");
});

it.each([undefined, 64 * 1024 + 1])(
  "a body of length %j is read only to the end of its object, before the stream ends",
  async (length) => {
    const { body, request } = requestWith(length);
    const reading = readRequestBody(sendAgentMessage, request);
    body.push('{"version":1} first');
    const { value, rest } = await reading;
    expect(value).toEqual({ version: 1 });
    body.push(" last");
    body.push(null);
    expect(await collect(rest)).toBe(" first last");
  },
);
