/**
 * Sends and receives packets inside a machine. Reads requests as lines of JSON and writes one line of JSON for each.
 *   {id, do: "serve", protocol: "tcp"|"udp", port, address}  serves the port until the process exits; a UDP reply
 *                                                    comes from the address
 *   {id, do: "reach", protocol, host, port, ms, size}  whether the port replies within the time; UDP sends a message of
 *                                                    the size, repeatedly
 *   {id, do: "open", host, port, ms}                 the same, with a TCP connection that stays open
 *   {id, do: "echo", connectionID, ms}               whether the open connection echoes a message; its ID is the ID of "open"
 */
import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";

const HELLO = "hello";
/** As often as TCP repeats its first packet. */
const UDP_REPEAT_MS = 1000;

const handlers = {
  serve: ({ protocol, port, address = "0.0.0.0" }) =>
    protocol === "tcp" ? serveTcp(port, address) : serveUdp(port, address),
  reach: ({ protocol, host, port, ms, size }) =>
    protocol === "tcp" ? reachTcp(host, port, ms) : reachUdp(host, port, ms, size),
  open: ({ id, host, port, ms }) => open(id, host, port, ms),
  echo: ({ connectionID, ms }) => echo(connections.get(connectionID), ms),
};
const connections = new Map();

const udpType = (address) => (address.includes(":") ? "udp6" : "udp4");

function serveTcp(port, address) {
  return new Promise((done, fail) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(HELLO);
      socket.pipe(socket);
    });
    server.once("error", fail);
    server.listen({ port, host: address, ipv6Only: true }, () => done(true));
  });
}

function serveUdp(port, address) {
  return new Promise((done, fail) => {
    const type = udpType(address);
    const socket = createSocket({ type, ipv6Only: type === "udp6" }, (message, sender) =>
      socket.send(HELLO, sender.port, sender.address, () => undefined),
    );
    socket.once("error", fail);
    socket.bind(port, address, () => done(true));
  });
}

function reachTcp(host, port, ms) {
  return new Promise((done) => {
    const socket = connect({ host, port });
    const finish = (isReached) => {
      clearTimeout(timer);
      socket.destroy();
      done(isReached);
    };
    const timer = setTimeout(finish, ms, false);
    socket.once("data", () => finish(true));
    socket.once("error", () => finish(false));
    socket.once("close", () => finish(false));
  });
}

function reachUdp(host, port, ms, size = HELLO.length) {
  return new Promise((done) => {
    const socket = createSocket(udpType(host), () => finish(true));
    const finish = (isReached) => {
      clearTimeout(timer);
      clearInterval(repeating);
      socket.close();
      done(isReached);
    };
    const send = () => socket.send(Buffer.alloc(size, HELLO), port, host, () => undefined);
    const timer = setTimeout(finish, ms, false);
    const repeating = setInterval(send, UDP_REPEAT_MS);
    socket.once("error", () => finish(false));
    send();
  });
}

async function open(id, host, port, ms) {
  const socket = connect({ host, port });
  socket.on("error", () => undefined);
  connections.set(id, socket);
  return receives(socket, ms);
}

function echo(socket, ms) {
  socket.write(HELLO);
  return receives(socket, ms);
}

function receives(socket, ms) {
  return new Promise((done) => {
    const finish = (hasReceived) => {
      clearTimeout(timer);
      socket.off("data", onData);
      done(hasReceived);
    };
    const onData = () => finish(true);
    const timer = setTimeout(finish, ms, false);
    socket.on("data", onData);
  });
}

async function handle(request) {
  const result = await handlers[request.do](request).then(
    (value) => ({ id: request.id, value }),
    (error) => ({ id: request.id, error: error.message }),
  );
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

createInterface({ input: process.stdin }).on("line", (line) => void handle(JSON.parse(line)));
process.stdin.on("end", () => process.exit());
