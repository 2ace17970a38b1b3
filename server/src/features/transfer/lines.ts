import { createGunzip } from "node:zlib";
import { pipeline } from "node:stream";
import { ConfigError } from "../../infrastructure/config/config.ts";
import { damaged } from "./format.ts";

/** The lines of a compressed file, one after the other and never all of it. */
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
    throw explained(error as NodeJS.ErrnoException);
  }
  if (rest) throw damaged("its last line is broken off");
}

function explained(error: NodeJS.ErrnoException): Error {
  if (error.code === "Z_BUF_ERROR") return damaged("it is broken off");
  if (error.message === "incorrect header check")
    return new ConfigError("The file is not an export of Lightkeeper");
  return error.code?.startsWith("Z_") ? damaged(error.message) : error;
}
