/**
 * Checks of each `sslmode`, on a server with a certificate of a CA created here. Run by `npm run test:fault`. Skipped without server
 * programs.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../generate.js";
import { binaries, Server } from "../postgresql.js";
import { main } from "./process.js";

describe.skipIf(!binaries)("TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-fault-tls-"));
  const at = (name: string) => join(folder, name);
  const openssl = (...values: string[]) => execFileSync("openssl", values, { cwd: folder, stdio: "ignore" });
  let server: Server;
  let plain: Server;

  function makeCa(name: string): void {
    openssl(
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.crt`,
    );
  }

  function makeCertificate(name: string, subject: string, ca: string, names = ""): void {
    openssl(
      "req",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-subj",
      subject,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`,
    );
    writeFileSync(at("extensions"), names && `subjectAltName=${names}\n`);
    openssl(
      "x509",
      "-req",
      "-in",
      `${name}.csr`,
      "-CA",
      `${ca}.crt`,
      "-CAkey",
      `${ca}.key`,
      "-CAcreateserial",
      "-days",
      "2",
      "-out",
      `${name}.crt`,
      "-extfile",
      "extensions",
    );
  }

  beforeAll(async () => {
    await build();
    for (const ca of ["ca", "stranger"]) makeCa(ca);
    makeCertificate("server", "/CN=database", "ca", "DNS:localhost");
    makeCertificate("client", "/CN=postgres", "ca");
    server = await Server.start(({ folder: data, user: { uid, gid } }) => {
      for (const name of ["server.key", "server.crt", "ca.crt"]) {
        execFileSync("cp", [at(name), join(data, name)]);
        if (uid !== undefined) chownSync(join(data, name), uid, gid!);
      }
      chmodSync(join(data, "server.key"), 0o600);
      const lines = [
        "local all all trust",
        "hostssl guarded all 127.0.0.1/32 trust clientcert=verify-ca",
        "hostssl all all 127.0.0.1/32 trust",
      ];
      writeFileSync(join(data, "data/pg_hba.conf"), `${lines.join("\n")}\n`);
      return [
        "ssl = on",
        ...["cert", "key", "ca"].map(
          (what) => `ssl_${what}_file = '${join(data, what === "ca" ? "ca.crt" : `server.${what === "key" ? "key" : "crt"}`)}'`,
        ),
      ];
    });
    plain = await Server.start();
    const client = new pg.Client({ host: server.folder, port: server.port, user: "postgres", database: "postgres" });
    await client.connect();
    await client.query("create database guarded").finally(() => client.end());
  });

  afterAll(() => {
    server?.remove();
    plain?.remove();
    rmSync(folder, { recursive: true });
  });

  /** The output of a command that opens the database. */
  function start(
    host: string,
    query: string,
    { port } = server,
    database = "postgres",
    wait = "30",
  ): { code: number | null; stdout: string; stderr: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, "key", "--tenant", "tls", "--role", "viewer"], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: `postgresql://postgres@${host}:${port}/${database}${query}`,
        DATABASE_WAIT_SECONDS: wait,
      },
      encoding: "utf8",
    });
    return { code: status, stdout, stderr: stderr.replaceAll(folder, "…") };
  }

  const key = /^mg_\S+\n$/;
  const root = (name = "ca") => `sslrootcert=${at(`${name}.crt`)}`;

  test.each([
    ["verify-full, by the certificate's name", "localhost", () => `?sslmode=verify-full&${root()}`],
    ["a CA alone is verify-full", "localhost", () => `?${root()}`],
    ["verify-ca, by another name", "127.0.0.1", () => `?sslmode=verify-ca&${root()}`],
    ["require", "127.0.0.1", () => "?sslmode=require"],
    ["require with its CA, by another name", "127.0.0.1", () => `?sslmode=require&${root()}`],
  ])("connects: %s", (_, host, query) => {
    const { code, stdout, stderr } = start(host, query());
    expect(stderr.replace(/^(made the index .*|applied \d+ database migrations)\n/gm, "")).toBe("");
    expect(stdout).toMatch(key);
    expect(code).toBe(0);
  });

  test("a client certificate, if the server requests one", () => {
    const own = `&sslcert=${at("client.crt")}&sslkey=${at("client.key")}`;
    expect(start("localhost", `?${root()}${own}`, server, "guarded").stdout).toMatch(key);
    const { code, stderr } = start("localhost", `?${root()}`, server, "guarded", "1");
    expect(code).toBe(1);
    expect(stderr).toMatch(/client certificate/);
  });

  const refused = (reason: string) =>
    `maintenance: TLS connection to the database failed (${reason}). Check sslmode and sslrootcert in DATABASE_URL, and the server's certificate\n`;

  test.each([
    [
      "verify-full by another name",
      "127.0.0.1",
      () => `?sslmode=verify-full&${root()}`,
      refused("Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: "),
    ],
    [
      "verify-full with the CAs of the system",
      "localhost",
      () => "?sslmode=verify-full",
      refused("self-signed certificate in certificate chain"),
    ],
    [
      "verify-full with another CA",
      "localhost",
      () => `?sslmode=verify-full&${root("stranger")}`,
      refused("self-signed certificate in certificate chain"),
    ],
    [
      "verify-ca with another CA",
      "localhost",
      () => `?sslmode=verify-ca&${root("stranger")}`,
      refused("self-signed certificate in certificate chain"),
    ],
    [
      "verify-ca without a CA",
      "localhost",
      () => "?sslmode=verify-ca",
      "maintenance: DATABASE_URL: sslmode=verify-ca needs sslrootcert, the file of the CA's certificate\n",
    ],
    [
      "a CA that is not there",
      "localhost",
      () => "?sslrootcert=/none.crt",
      "maintenance: DATABASE_URL: sslrootcert cannot be read (ENOENT): /none.crt\n",
    ],
  ])("refuses immediately, in one line: %s", (_, host, query, line) => {
    expect(start(host, query())).toEqual({ code: 1, stdout: "", stderr: line });
  });

  test("a server without TLS is refused", () => {
    expect(start("127.0.0.1", "?sslmode=require", plain)).toEqual({
      code: 1,
      stdout: "",
      stderr: refused("The server does not support SSL connections"),
    });
  });
});
