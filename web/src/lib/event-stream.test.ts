import { expect, it, vi } from "vitest";
import { readEvents } from "./event-stream.ts";

function responseOf(...chunks: string[]): Response {
  const encoder = new TextEncoder();
  return new Response(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
        controller.close();
      },
    }),
  );
}

async function eventsOf(...chunks: string[]) {
  const events = [];
  for await (const event of readEvents(responseOf(...chunks))) events.push(event);
  return events;
}

it("reads an event with its name and data", async () => {
  expect(await eventsOf('event: change\ndata: {"noun":"networks"}\n\n')).toEqual([
    { event: "change", data: '{"noun":"networks"}' },
  ]);
});

it("joins lines of data and names an event without a name message", async () => {
  expect(await eventsOf("data: a\ndata:b\n\n")).toEqual([{ event: "message", data: "a\nb" }]);
});

it("reassembles events from any chunks, with any line breaks", async () => {
  const whole = "event: change\r\ndata: 1\r\n\r\nevent: change\rdata: 2\r\rdata: 3\n\n";
  for (let cut = 1; cut < whole.length; cut++) {
    expect(await eventsOf(whole.slice(0, cut), whole.slice(cut))).toEqual([
      { event: "change", data: "1" },
      { event: "change", data: "2" },
      { event: "message", data: "3" },
    ]);
  }
});

it("skips comments and an incomplete event", async () => {
  const heard = vi.fn();
  const events = [];
  for await (const event of readEvents(responseOf(": alive\n\n", "data: half"), heard)) events.push(event);
  expect(events).toEqual([]);
  expect(heard).toHaveBeenCalledTimes(2);
});
