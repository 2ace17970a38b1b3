import { getDownloads } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

export const downloadsQuery = read(getDownloads);
