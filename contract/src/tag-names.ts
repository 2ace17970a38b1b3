import * as z from "zod/mini";
import { plainLine } from "./fields.ts";
import { TAG_KEY_LENGTH_MAX, TAG_VALUE_LENGTH_MAX } from "./limits.ts";

/** `key:value` with one colon and no white space around either. */
const StoredTagName = z.string().check(
  z.refine((name) => {
    const [key = "", value = "", ...rest] = name.split(":");
    if (rest.length > 0 || key !== key.trim() || value !== value.trim()) return false;
    return (
      key.length >= 1 &&
      key.length <= TAG_KEY_LENGTH_MAX &&
      value.length >= 1 &&
      value.length <= TAG_VALUE_LENGTH_MAX
    );
  }, `must be key:value, with a key of 1 to ${TAG_KEY_LENGTH_MAX} and a value of 1 to ${TAG_VALUE_LENGTH_MAX} characters`),
);
export const TagName = StoredTagName.check(plainLine());

export const TAGS_MAX = 50;
export const TagNames = z.array(TagName).check(z.maxLength(TAGS_MAX));
/** For reading: stored tags may contain invisible characters, which earlier versions accepted. */
export const StoredTagNames = z.array(StoredTagName).check(z.maxLength(TAGS_MAX));
