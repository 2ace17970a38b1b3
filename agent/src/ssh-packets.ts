/** The binary packets of SSH, in the clear until both directions have keys, and what they are made of. */
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
const BLOCK = 16;
const TAG = 16;
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
/** Unsigned: a leading zero where the sign would be, and no other. */
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

/** Packets in and out, in the clear until both directions have keys. */
export function createPackets(socket: Socket) {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let pending: Buffer = Buffer.alloc(0);
  let sealing: DirectionKeys | undefined;
  let opening: DirectionKeys | undefined;

  return {
    write: (bytes: Buffer) => socket.write(bytes),
    readVersion,
    send,
    receive,
    useKeys(outgoing: DirectionKeys, incoming: DirectionKeys): void {
      sealing = outgoing;
      opening = incoming;
    },
  };

  async function take(length: number): Promise<Buffer> {
    while (pending.length < length) {
      const { value, done } = await chunks.next();
      if (done) throw new Error("the connection was closed");
      pending = Buffer.concat([pending, value]);
    }
    const taken = pending.subarray(0, length);
    pending = pending.subarray(length);
    return taken;
  }

  async function readVersion(): Promise<string> {
    let line = "";
    while (!line.endsWith("\r\n")) line += (await take(1)).toString("latin1");
    return line.slice(0, -2);
  }

  function send(...parts: Buffer[]): void {
    const payload = Buffer.concat(parts);
    // The length counts towards the blocks only while it is not encrypted.
    const bare = (sealing ? 1 : 5) + payload.length;
    const padding = BLOCK - (bare % BLOCK) + (BLOCK - (bare % BLOCK) < 4 ? BLOCK : 0);
    const length = uint32(1 + payload.length + padding);
    const content = Buffer.concat([byte(padding), payload, randomBytes(padding)]);
    if (!sealing) {
      socket.write(Buffer.concat([length, content]));
      return;
    }
    const cipher = createCipheriv("aes-128-gcm", sealing.key, sealing.iv).setAAD(length);
    const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
    socket.write(Buffer.concat([length, sealed, cipher.getAuthTag()]));
    countUp(sealing.iv);
  }

  async function receive(): Promise<Buffer> {
    const length = await take(4);
    const size = length.readUInt32BE();
    if (size > PACKET_MAX) throw new Error("a packet is too long");
    let content = await take(size);
    if (opening) {
      const decipher = createDecipheriv("aes-128-gcm", opening.key, opening.iv).setAAD(length);
      decipher.setAuthTag(await take(TAG));
      content = Buffer.concat([decipher.update(content), decipher.final()]);
      countUp(opening.iv);
    }
    const payload = content.subarray(1, content.length - (content[0] ?? 0));
    if (payload[0] === MESSAGE.disconnect) throw new Error("the console hung up");
    return payload;
  }
}

function countUp(iv: Buffer): void {
  iv.writeBigUInt64BE(BigInt.asUintN(64, iv.readBigUInt64BE(4) + 1n), 4);
}

/** Whatever else comes in between is of no interest. */
export async function expectPacket(packets: Packets, type: number): Promise<Reader> {
  for (;;) {
    const payload = await packets.receive();
    if (payload[0] === type) return createReader(payload);
    if (payload[0] === MESSAGE.authFailure) throw new Error("the console does not know our key");
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
