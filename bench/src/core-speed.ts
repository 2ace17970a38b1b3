/** How fast a core is right now: other users of the same hardware can halve it for minutes. */
import { generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";

const VERIFICATIONS = 2000;
const MESSAGE_LENGTH = 300;

/** Signatures that are verified per second of CPU time. */
export function verificationsPerSecond(): number {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const message = randomBytes(MESSAGE_LENGTH);
  const signature = sign(null, message, privateKey);
  const before = process.cpuUsage();
  for (let done = 0; done < VERIFICATIONS; done++) verify(null, message, publicKey, signature);
  const { user, system } = process.cpuUsage(before);
  return VERIFICATIONS / ((user + system) / 1e6);
}
