/**
 * Forwards connections: node forward.mjs FROM TO. Each is a loopback port or the path of a Unix socket, which processes
 * in different network namespaces can share.
 */
import { connect, createServer } from "node:net";

const parseAddress = (text) =>
  /^\d+$/.test(text) ? { port: Number(text), host: "127.0.0.1" } : { path: text };
const [from, to] = process.argv.slice(2).map(parseAddress);

createServer((incoming) => {
  const outgoing = connect(to);
  const end = () => {
    incoming.destroy();
    outgoing.destroy();
  };
  for (const side of [incoming, outgoing]) side.on("error", end).on("close", end);
  incoming.pipe(outgoing).pipe(incoming);
}).listen(from, () => process.stdout.write("listening\n"));
