import type { Downloads } from "@lightkeeper/contract";
import type { DownloadFile, DownloadFiles } from "./download-files.ts";
import { compareVersions } from "./versions.ts";

export const FILES_PATH = "/downloads/files";

const urlOf = (appURL: string, { name }: DownloadFile) =>
  `${appURL}${FILES_PATH}/${encodeURIComponent(name)}`;

/** Lists the builds, newest version first, in the shape that public clients expect. */
export async function describeDownloads(files: DownloadFiles, appURL: string): Promise<Downloads> {
  const built = await files.list();
  const newestFirst = built.toSorted(
    (a, b) => compareVersions(b.version, a.version) || b.modifiedAt.getTime() - a.modifiedAt.getTime(),
  );
  const latest = newestFirst[0]?.version;
  const dnclient: Downloads["dnclient"] = {};
  const versions: Downloads["versionInfo"]["dnclient"] = {};
  for (const file of newestFirst) {
    (dnclient[file.version] ??= {})[file.platform] = urlOf(appURL, file);
    versions[file.version] ??= {
      latest: file.version === latest,
      releaseDate: file.modifiedAt.toISOString().slice(0, 10),
    };
  }
  const checksums = await Promise.all(
    newestFirst.map(async (file) => [urlOf(appURL, file), await files.digest(file)] as const),
  );
  const build = await files.build();
  const latestFiles = latest === undefined ? undefined : dnclient[latest];
  return {
    dnclient: latestFiles ? { latest: latestFiles, ...dnclient } : dnclient,
    mobile: {},
    container: {},
    versionInfo: { dnclient: versions, latest: { ...(latest !== undefined && { dnclient: latest }) } },
    checksums: Object.fromEntries(checksums),
    ...(build && { build }),
  };
}
