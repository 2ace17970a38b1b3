/** What a person sees in the terminal after `npm start` on their own machine. */
import { signup } from "@lightkeeper/contract";
import { afterEach, beforeEach, expect, it } from "vitest";
import { clientFor, createAccount, newEmail } from "./account.ts";
import { waitForLink } from "./mailbox.ts";
import { startServer, type ServerProcess, temporaryDataDir } from "./server-process.ts";
import { PATIENT } from "./steps.ts";

let data: ReturnType<typeof temporaryDataDir>;
let server: ServerProcess | undefined;
beforeEach(() => {
  data = temporaryDataDir();
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  data.remove();
});

const requestSignUp = async ({ url, dataDir }: ServerProcess) => {
  const email = newEmail();
  await clientFor(url)(signup, { body: { email } });
  return { email, link: await waitForLink(dataDir, email) };
};

it("prints the URL and the links of emails, and nothing else", async () => {
  server = await startServer({ dataDir: data.dataDir });
  const { url, output } = server;
  const { email, link } = await requestSignUp(server);
  const mail = `\nMail to ${email}: Confirm your email address for Lightkeeper\n  ${link}\n\n`;
  await expect.poll(output, PATIENT).toContain(mail);
  expect(output().replace(/Lightkeeper \S+ is/, "Lightkeeper is")).toBe(
    `\nLightkeeper is ready: ${url}\n\n${mail}`,
  );
  await createAccount(server);
  expect(output()).not.toContain('"level"');
});

it("logs what LOG_LEVEL says", async () => {
  server = await startServer({ dataDir: data.dataDir, environment: { LOG_LEVEL: "info" } });
  await requestSignUp(server);
  await expect.poll(server.output, PATIENT).toContain('"route":"/v1/signup"');
  expect(server.output()).toContain("applied migration");
});
