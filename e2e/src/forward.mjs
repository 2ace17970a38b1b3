/**
 * Hands every connection on: node forward.mjs FROM TO, each a port of loopback or a socket of the file system, which
 * processes in different networks share.
 */
import { connect, createServer } from "node:net";

const place = (text) => (/^\d+$/.test(text) ? { port: Number(text), host: "127.0.0.1" } : { path: text });
const [from, to] = process.argv.slice(2).map(place);

createServer((incoming) => {
  const outgoing = connect(to);
  const end = () => {
    incoming.destroy();
    outgoing.destroy();
  };
  for (const side of [incoming, outgoing]) side.on("error", end).on("close", end);
  incoming.pipe(outgoing).pipe(incoming);
}).listen(from, () => process.stdout.write("listening\n"));
