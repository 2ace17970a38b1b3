import { StringDecoder } from "node:string_decoder";
import { Transform } from "node:stream";

/** Longer than any line of Nebula's log; a longer line is split. */
const LINE_LENGTH_MAX = 256 * 1024;

/** Wraps each line that a host sends as public clients expect: `{"data": "…"}`. */
export function wrapLogLines(): Transform {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const wrap = (line: string) => (line.trim() === "" ? "" : `${JSON.stringify({ data: line })}\n`);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (rest + decoder.write(chunk)).split(/\r?\n/);
      rest = lines.pop() ?? "";
      while (rest.length > LINE_LENGTH_MAX) {
        lines.push(rest.slice(0, LINE_LENGTH_MAX));
        rest = rest.slice(LINE_LENGTH_MAX);
      }
      done(null, lines.map(wrap).join(""));
    },
    flush(done) {
      done(null, wrap(rest + decoder.end()));
    },
  });
}
