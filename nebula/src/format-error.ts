/** The data to read or write isn't valid for Nebula. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}
