import { createGunzip } from "node:zlib";
import { pipeline } from "node:stream";
import { ConfigError } from "../../infrastructure/config/config.ts";
import { damagedError } from "./format.ts";

/** Streams the lines of a compressed file. */
export async function* readLines(file: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const text = pipeline(file, createGunzip(), () => undefined).setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of text as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw explainError(error as NodeJS.ErrnoException);
  }
  if (rest) throw damagedError("its last line is incomplete");
}

function explainError(error: NodeJS.ErrnoException): Error {
  if (error.code === "Z_BUF_ERROR") return damagedError("it is incomplete");
  if (error.message === "incorrect header check")
    return new ConfigError("The file is not a Lightkeeper export");
  return error.code?.startsWith("Z_") ? damagedError(error.message) : error;
}
