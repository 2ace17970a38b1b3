/**
 * What tries packets from inside a machine. Reads requests as lines of JSON, answers each with a line.
 *   {id, do: "serve", protocol: "tcp"|"udp", port}   answers whoever comes, until the process ends
 *   {id, do: "reach", protocol, host, port, ms}      whether an answer came, from there, in that time
 *   {id, do: "hold", host, port, ms}                 the same, over a TCP connection that then stays open
 *   {id, do: "echo", held, ms}                       whether what is said on the one held under that id comes back
 */
import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";

const HELLO = "hello";

const work = {
  serve: ({ protocol, port }) => (protocol === "tcp" ? serveTcp(port) : serveUdp(port)),
  reach: ({ protocol, host, port, ms }) =>
    protocol === "tcp" ? reachTcp(host, port, ms) : reachUdp(host, port, ms),
  hold: ({ id, host, port, ms }) => hold(id, host, port, ms),
  echo: ({ held, ms }) => echo(connections.get(held), ms),
};
const connections = new Map();

function serveTcp(port) {
  return new Promise((done, fail) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(HELLO);
      socket.pipe(socket);
    });
    server.once("error", fail);
    server.listen(port, "0.0.0.0", () => done(true));
  });
}

function serveUdp(port) {
  return new Promise((done, fail) => {
    const socket = createSocket("udp4", (message, { address, port: from }) =>
      socket.send(HELLO, from, address, () => undefined),
    );
    socket.once("error", fail);
    socket.bind(port, "0.0.0.0", () => done(true));
  });
}

function reachTcp(host, port, ms) {
  return new Promise((done) => {
    const socket = connect({ host, port });
    const answer = (isReached) => {
      clearTimeout(timer);
      socket.destroy();
      done(isReached);
    };
    const timer = setTimeout(answer, ms, false);
    socket.once("data", () => answer(true));
    socket.once("error", () => answer(false));
    socket.once("close", () => answer(false));
  });
}

function reachUdp(host, port, ms) {
  return new Promise((done) => {
    const socket = createSocket("udp4", () => answer(true));
    const answer = (isReached) => {
      clearTimeout(timer);
      socket.close();
      done(isReached);
    };
    const timer = setTimeout(answer, ms, false);
    socket.once("error", () => answer(false));
    socket.send(HELLO, port, host, () => undefined);
  });
}

async function hold(id, host, port, ms) {
  const socket = connect({ host, port });
  socket.on("error", () => undefined);
  connections.set(id, socket);
  return hears(socket, ms);
}

function echo(socket, ms) {
  socket.write(HELLO);
  return hears(socket, ms);
}

function hears(socket, ms) {
  return new Promise((done) => {
    const answer = (isHeard) => {
      clearTimeout(timer);
      socket.off("data", heard);
      done(isHeard);
    };
    const heard = () => answer(true);
    const timer = setTimeout(answer, ms, false);
    socket.on("data", heard);
  });
}

async function answer(request) {
  const said = await work[request.do](request).then(
    (value) => ({ id: request.id, value }),
    (error) => ({ id: request.id, error: error.message }),
  );
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

createInterface({ input: process.stdin }).on("line", (line) => void answer(JSON.parse(line)));
process.stdin.on("end", () => process.exit());
