/** Reads and writes SSH's binary packets and their data types. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Socket } from "node:net";

export const MESSAGE = {
  disconnect: 1,
  serviceRequest: 5,
  serviceAccept: 6,
  keyExchangeInit: 20,
  newKeys: 21,
  exchangeInit: 30,
  exchangeReply: 31,
  authRequest: 50,
  authFailure: 51,
  authSuccess: 52,
  channelOpen: 90,
  channelConfirmation: 91,
  channelData: 94,
  channelClose: 97,
  channelRequest: 98,
  channelFailure: 100,
};
const CIPHER = "aes-128-gcm";
const BLOCK_LENGTH = 16;
const PADDING_MIN = 4;
const TAG_LENGTH = 16;
const PACKET_MAX = 256 * 1024;

export const byte = (value: number) => Buffer.of(value);
export const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
export const string = (value: string | Buffer) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
};
/** Encodes an unsigned number, with a leading zero byte only where the sign bit would be set. */
export const mpint = (value: Buffer) => {
  const start = value.findIndex((octet) => octet !== 0);
  const bytes = start === -1 ? Buffer.alloc(0) : value.subarray(start);
  return string((bytes[0] ?? 0) >= 0x80 ? Buffer.concat([byte(0), bytes]) : bytes);
};
export type Packets = ReturnType<typeof createPackets>;
interface DirectionKeys {
  readonly key: Buffer;
  readonly iv: Buffer;
}

/** The returned function waits for this many bytes. */
function createByteReader(socket: Socket): (length: number) => Promise<Buffer> {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let pending: Buffer = Buffer.alloc(0);
  return async (length) => {
    while (pending.length < length) {
      const { value, done } = await chunks.next();
      if (done) throw new Error("the connection was closed");
      pending = Buffer.concat([pending, value]);
    }
    const bytes = pending.subarray(0, length);
    pending = pending.subarray(length);
    return bytes;
  };
}

/** Packets are unencrypted until `useKeys` is called. */
export function createPackets(socket: Socket) {
  const readBytes = createByteReader(socket);
  let sendKeys: DirectionKeys | undefined;
  let receiveKeys: DirectionKeys | undefined;

  return {
    write: (bytes: Buffer) => socket.write(bytes),
    readVersion,
    send,
    receive,
    useKeys(outgoing: DirectionKeys, incoming: DirectionKeys): void {
      sendKeys = outgoing;
      receiveKeys = incoming;
    },
  };

  async function readVersion(): Promise<string> {
    let line = "";
    while (!line.endsWith("\r\n")) line += (await readBytes(1)).toString("latin1");
    return line.slice(0, -2);
  }

  function send(...parts: Buffer[]): void {
    socket.write(encodePacket(Buffer.concat(parts), sendKeys));
  }

  async function receive(): Promise<Buffer> {
    const length = await readBytes(4);
    const size = length.readUInt32BE();
    if (size > PACKET_MAX) throw new Error("SSH packet too long");
    const received = await readBytes(size);
    const content = receiveKeys
      ? decrypt({ length, encrypted: received, tag: await readBytes(TAG_LENGTH) }, receiveKeys)
      : received;
    const payload = content.subarray(1, content.length - (content[0] ?? 0));
    if (payload[0] === MESSAGE.disconnect) throw new Error("the debug console closed the connection");
    return payload;
  }
}

function encodePacket(payload: Buffer, keys: DirectionKeys | undefined): Buffer {
  // The length field counts toward the block size only while it's unencrypted.
  const unpadded = (keys ? 1 : 5) + payload.length;
  const toBlock = BLOCK_LENGTH - (unpadded % BLOCK_LENGTH);
  const padding = toBlock < PADDING_MIN ? toBlock + BLOCK_LENGTH : toBlock;
  const length = uint32(1 + payload.length + padding);
  const content = Buffer.concat([byte(padding), payload, randomBytes(padding)]);
  if (!keys) return Buffer.concat([length, content]);
  const cipher = createCipheriv(CIPHER, keys.key, keys.iv).setAAD(length);
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
  incrementCounter(keys.iv);
  return Buffer.concat([length, encrypted, cipher.getAuthTag()]);
}

interface EncryptedPacket {
  readonly length: Buffer;
  readonly encrypted: Buffer;
  readonly tag: Buffer;
}

function decrypt({ length, encrypted, tag }: EncryptedPacket, { key, iv }: DirectionKeys): Buffer {
  const decipher = createDecipheriv(CIPHER, key, iv).setAAD(length).setAuthTag(tag);
  const content = Buffer.concat([decipher.update(encrypted), decipher.final()]);
  incrementCounter(iv);
  return content;
}

function incrementCounter(iv: Buffer): void {
  iv.writeBigUInt64BE(BigInt.asUintN(64, iv.readBigUInt64BE(4) + 1n), 4);
}

/** Skips packets of other types. */
export async function expectPacket(packets: Packets, type: number): Promise<Reader> {
  for (;;) {
    const payload = await packets.receive();
    if (payload[0] === type) return createReader(payload);
    if (payload[0] === MESSAGE.authFailure) throw new Error("the debug console rejected the agent's key");
  }
}

type Reader = ReturnType<typeof createReader>;

export function createReader(payload: Buffer) {
  let position = 1;
  const uint = () => {
    position += 4;
    return payload.readUInt32BE(position - 4);
  };
  return {
    payload,
    uint,
    string: (): Buffer => {
      const length = uint();
      position += length;
      return payload.subarray(position - length, position);
    },
  };
}
