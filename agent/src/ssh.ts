/**
 * A minimal SSH client that runs one command in nebula's debug console over loopback. It supports one key exchange, one
 * cipher and one key type and negotiates nothing; the machine doesn't need an ssh program.
 */
import {
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import type { KeyObject } from "node:crypto";
import { connect } from "node:net";
import {
  byte,
  createPackets,
  createReader,
  expectPacket,
  MESSAGE,
  mpint,
  string,
  uint32,
} from "./ssh-packets.ts";
import type { Packets } from "./ssh-packets.ts";

export interface SshKeys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface SshTarget {
  readonly port: number;
  readonly user: string;
  readonly userKeys: SshKeys;
  readonly hostKey: KeyObject;
}

const VERSION = "SSH-2.0-lightkeeper";
const KEY_TYPE = "ssh-ed25519";
const X25519_PREFIX = Buffer.from("302a300506032b656e032100", "hex");
const ALGORITHMS = [
  "curve25519-sha256",
  KEY_TYPE,
  "aes128-gcm@openssh.com",
  "aes128-gcm@openssh.com",
  "hmac-sha2-256",
  "hmac-sha2-256",
  "none",
  "none",
  "",
  "",
];
/** Maximum length of a command's output. */
const WINDOW = 8 * 1024 * 1024;

const rawKey = (key: KeyObject) => key.export({ type: "spki", format: "der" }).subarray(-32);
const keyBlob = (key: KeyObject) => Buffer.concat([string(KEY_TYPE), string(rawKey(key))]);

/** In the format of authorized_keys. */
export const authorizedKey = (key: KeyObject) => `${KEY_TYPE} ${keyBlob(key).toString("base64")}`;

/** Returns the command's output. */
export async function runOverSsh(
  target: SshTarget,
  command: string,
  timeoutSeconds: number,
): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: target.port });
  // The read that is in progress throws the error; an error after that doesn't matter.
  socket.on("error", () => undefined);
  const timer = setTimeout(() => socket.destroy(new Error("command timed out")), timeoutSeconds * 1000);
  try {
    const packets = createPackets(socket);
    const sessionID = await exchangeKeys(packets, target.hostKey);
    await authenticate(packets, target, sessionID);
    return await execute(packets, command);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

async function exchangeKeys(packets: Packets, hostKey: KeyObject): Promise<Buffer> {
  packets.write(Buffer.from(`${VERSION}\r\n`));
  const ourInit = Buffer.concat([
    byte(MESSAGE.keyExchangeInit),
    randomBytes(16),
    ...ALGORITHMS.map(string),
    byte(0),
    uint32(0),
  ]);
  packets.send(ourInit);
  const theirVersion = await packets.readVersion();
  const theirInit = (await expectPacket(packets, MESSAGE.keyExchangeInit)).payload;
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  packets.send(byte(MESSAGE.exchangeInit), string(rawKey(publicKey)));

  const reply = await expectPacket(packets, MESSAGE.exchangeReply);
  const [theirBlob, theirPoint, signatureBlob] = [reply.string(), reply.string(), reply.string()];
  const theirKey = createPublicKey({
    key: Buffer.concat([X25519_PREFIX, theirPoint]),
    format: "der",
    type: "spki",
  });
  const secret = mpint(diffieHellman({ privateKey, publicKey: theirKey }));
  const hash = digest(
    ...[VERSION, theirVersion, ourInit, theirInit, theirBlob, rawKey(publicKey), theirPoint].map(string),
    secret,
  );
  const signature = signatureBlob.subarray(-64);
  if (!theirBlob.equals(keyBlob(hostKey)) || !verify(null, hash, hostKey, signature))
    throw new Error("wrong SSH host key");

  packets.send(byte(MESSAGE.newKeys));
  await expectPacket(packets, MESSAGE.newKeys);
  const derive = (letter: string, length: number) =>
    digest(secret, hash, Buffer.from(letter), hash).subarray(0, length);
  packets.useKeys(
    { iv: derive("A", 12), key: derive("C", 16) },
    { iv: derive("B", 12), key: derive("D", 16) },
  );
  return hash;
}

async function authenticate(
  packets: Packets,
  { user, userKeys }: SshTarget,
  sessionID: Buffer,
): Promise<void> {
  packets.send(byte(MESSAGE.serviceRequest), string("ssh-userauth"));
  await expectPacket(packets, MESSAGE.serviceAccept);
  const request = Buffer.concat([
    byte(MESSAGE.authRequest),
    ...[user, "ssh-connection", "publickey"].map(string),
    byte(1),
    string(KEY_TYPE),
    string(keyBlob(userKeys.publicKey)),
  ]);
  const signature = sign(null, Buffer.concat([string(sessionID), request]), userKeys.privateKey);
  packets.send(request, string(Buffer.concat([string(KEY_TYPE), string(signature)])));
  await expectPacket(packets, MESSAGE.authSuccess);
}

async function execute(packets: Packets, command: string): Promise<string> {
  packets.send(byte(MESSAGE.channelOpen), string("session"), uint32(0), uint32(WINDOW), uint32(32 * 1024));
  const confirmation = await expectPacket(packets, MESSAGE.channelConfirmation);
  confirmation.uint();
  const channel = uint32(confirmation.uint());
  packets.send(byte(MESSAGE.channelRequest), channel, string("exec"), byte(1), string(command));
  const output: Buffer[] = [];
  for (;;) {
    const payload = await packets.receive();
    if (payload[0] === MESSAGE.channelClose) return Buffer.concat(output).toString("utf8");
    if (payload[0] === MESSAGE.channelFailure) throw new Error("the debug console rejected the command");
    if (payload[0] !== MESSAGE.channelData) continue;
    const data = createReader(payload);
    data.uint();
    output.push(Buffer.from(data.string()));
  }
}

function digest(...parts: Buffer[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
