/** Reads `text/event-stream` from a response: EventSource cannot send an Authorization header. */
export interface StreamedEvent {
  event: string;
  data: string;
}

function parseBlock(block: string): StreamedEvent | undefined {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  return data.length > 0 ? { event, data: data.join("\n") } : undefined;
}

/** `onData` is called for every chunk, including comments. */
export async function* readEvents(response: Response, onData?: () => void): AsyncGenerator<StreamedEvent> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onData?.();
      // A trailing carriage return may be half of a line break, so it waits for the next chunk.
      const text = rest + decoder.decode(value, { stream: true });
      const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
      const blocks = whole.replace(/\r\n?/g, "\n").split("\n\n");
      rest = (blocks.pop() ?? "") + text.slice(whole.length);
      for (const block of blocks) {
        const parsed = parseBlock(block);
        if (parsed) yield parsed;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
