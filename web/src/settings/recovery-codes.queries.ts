import { getRecoveryCodes } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

export const recoveryCodesQuery = read(getRecoveryCodes);
