import {
  DESCRIPTION_LENGTH_MAX,
  LONG_NAME_LENGTH_MAX,
  NAME_LENGTH_MAX,
  OWNER_LENGTH_MAX,
} from "@lightkeeper/contract/limits";

export const nameMessage = `Enter a name (up to ${NAME_LENGTH_MAX} characters).`;
export const longNameMessage = `Enter a name (up to ${LONG_NAME_LENGTH_MAX} characters).`;
export const descriptionMessage = `Enter up to ${DESCRIPTION_LENGTH_MAX} characters.`;
export const ownerMessage = `Enter up to ${OWNER_LENGTH_MAX} characters.`;
