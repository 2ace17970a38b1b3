/** Builds the container image twice, and runs it as compose.yaml does, with PostgreSQL and Caddy. */
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNetwork, listNetworks } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../free-port.ts";
import { describeStory } from "../../story.ts";
import { until } from "../../until.ts";
import { readServices, type Service, startCaddy, startPostgres } from "./compose-services.ts";
import { inMegabytes, recordFigure } from "./figures.ts";
import { createFirstAccount } from "./first-account.ts";
import { createHttpsClient } from "./https-client.ts";
import { createImageBuilder, type Image, type ImageBuilder, startContainer } from "./image.ts";
import { type MailServer, startMailServer } from "./mail-server.ts";
import { STARTING } from "./starting.ts";

const DOMAIN = "nebula.example.com";
const MEGABYTES_MAX = 150;

let builder: ImageBuilder;
let image: Image;
beforeAll(() => {
  builder = createImageBuilder();
  image = builder.build();
});
afterAll(() => builder?.remove());

describeStory("the image", () => {
  it("is the same after another build", () => {
    const { layers } = builder.build();
    expect(layers).toEqual(image.layers);
    recordFigure("image", "layers of two builds", `identical (${layers[0]?.slice(0, 19)}…)`);
  });

  it("is small and runs without root", () => {
    expect(image.bytes / 1_000_000).toBeLessThan(MEGABYTES_MAX);
    expect(image.config).toMatchObject({ User: "10001:10001", Volumes: { "/data": {} } });
    recordFigure("image", "size", inMegabytes(image.bytes));
  });
});

describeStory("the services of compose.yaml", () => {
  const services: Service[] = [];
  let mail: MailServer;
  let volume: string;
  let root: string;
  let container: ReturnType<typeof startContainer>;
  let connect: (...tokens: string[]) => ReturnType<typeof createHttpsClient>;
  let environment: Record<string, string>;

  const run = (command?: string[]) =>
    startContainer({ root, volume, config: image.config, environment, ...(command && { command }) });
  const checkHealth = () => run(image.config.Healthcheck.Test.slice(1)).exited;

  beforeAll(async () => {
    const [postgresPort, port, httpsPort] = [await freePort(), await freePort(), await freePort()];
    const { lightkeeper, postgres, caddy } = readServices({ DOMAIN, POSTGRES_PASSWORD: "3f9c" });
    mail = await startMailServer();
    services.push(await startPostgres(postgres.environment, postgresPort));
    root = builder.unpack();
    volume = mkdtempSync(join(tmpdir(), "lightkeeper-volume-"));
    const [uid = 0, gid = 0] = image.config.User.split(":").map(Number);
    chownSync(volume, uid, gid);
    environment = {
      ...lightkeeper.environment,
      DATABASE_URL: lightkeeper.environment.DATABASE_URL!.replace(
        "postgres:5432",
        `127.0.0.1:${postgresPort}`,
      ),
      HOST: "127.0.0.1",
      PORT: String(port),
      SECRET_KEY: randomBytes(32).toString("base64"),
      SMTP_URL: mail.url,
      SUPPORT_EMAIL: "help@example.com",
    };
    const proxy = await startCaddy(caddy.command, {
      from: `${DOMAIN}:${httpsPort}`,
      to: `127.0.0.1:${port}`,
    });
    services.push(proxy);
    await until("Caddy has created its CA", () => existsSync(proxy.caFile));
    const ca = readFileSync(proxy.caFile, "utf8");
    connect = (...tokens) => createHttpsClient({ url: `https://${DOMAIN}`, port: httpsPort, ca }, ...tokens);
  });
  afterAll(async () => {
    container?.child.kill("SIGKILL");
    for (const service of services) await service.stop();
    await mail?.stop();
    rmSync(volume, { recursive: true, force: true });
  });

  it("aren't healthy before the server has started, and then are", async () => {
    expect(await checkHealth()).toBe(1);
    container = run();
    await expect.poll(container.output, STARTING).toContain("Setup code");
    expect(await checkHealth()).toBe(0);
  });

  it("run without root, capabilities and a writable file system", async () => {
    const children = `/proc/${container.child.pid}/task/${container.child.pid}/children`;
    const status = readFileSync(`/proc/${readFileSync(children, "utf8").trim()}/status`, "utf8");
    expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    const write = 'require("fs").writeFileSync(process.argv[1], "")';
    const tryWrite = (path: string) => run(["node", "-e", write, path]).exited;
    expect(await tryWrite("/usr/lib/lightkeeper/x")).toBe(1);
    expect(await tryWrite("/data/x")).toBe(0);
    expect(await tryWrite("/tmp/x")).toBe(0);
    recordFigure("compose", "server", "uid 10001, no capabilities, read-only root");
  });

  it("serve the console through Caddy, with an account and a network", async () => {
    const setupCode = /Setup code .*: (\S+)/.exec(container.output())![1]!;
    const call = await createFirstAccount({ email: "you@example.com", setupCode, mail, connect });
    await call(createNetwork, { body: { name: "Harbour", cidr: "10.44.0.0/24" } });
    expect((await call(listNetworks, {})).data.map(({ name }) => name)).toEqual(["Harbour"]);
    recordFigure("compose", "HTTPS through Caddy with its internal CA", "signed up, network created");
  });

  it("run commands of the server, such as the export to the volume", async () => {
    const { exited, output } = run([...image.config.Entrypoint, "export", "/data/today.export"]);
    expect([await exited, output()]).toEqual([0, expect.stringContaining("to /data/today.export.")]);
    expect(readdirSync(volume)).toContain("today.export");
  });

  it("stop when the container is stopped", async () => {
    const children = `/proc/${container.child.pid}/task/${container.child.pid}/children`;
    process.kill(Number(readFileSync(children, "utf8")), "SIGTERM");
    expect(await container.exited).toBe(0);
    expect(container.output()).toContain("SIGTERM: stopping");
  });
});
