/** What was read, or was asked to be written, is nothing Nebula would accept. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}
