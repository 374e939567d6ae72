/** Accepted values of DATABASE_URL. */
import { describe, expect, test } from "vitest";
import { readServerUrl } from "../../src/database/connection/server-url.js";
import { startupOptions } from "../../src/database/connection/session.js";

const options = startupOptions();
const read = (url: string) => readServerUrl(url, "DATABASE_URL");

test("a single server", () => {
  const url = "postgresql://user:p%40ss@host:5433/database?application_name=x";
  expect(read(url)).toEqual({ wanted: "any", names: ["host:5433"], servers: [{ connectionString: url, options }] });
  const socket = "postgresql:///database?host=%2Fvar%2Frun%2Fpostgresql";
  expect(read(socket).servers).toEqual([{ connectionString: socket, options }]);
});

test("several servers, in their order", () => {
  const { wanted, names, servers } = read("postgres://user:p%2Css@h1:5432,h2,[::1]:5434/db?target_session_attrs=primary");
  expect(wanted).toBe("primary");
  expect(names, "no user, no password").toEqual(["h1:5432", "h2", "[::1]:5434"]);
  expect(servers.map(({ connectionString }) => connectionString)).toEqual([
    "postgres://user:p%2Css@h1:5432/db",
    "postgres://user:p%2Css@h2/db",
    "postgres://user:p%2Css@[::1]:5434/db",
  ]);
  expect(read("postgresql://h1,h2/db").wanted).toBe("read-write");
});

test("the operator's options come before ours", () => {
  const [server] = read("postgresql://h/db?options=-c%20search_path%3Dmine%20-c%20datestyle%3DGerman").servers;
  expect(server).toEqual({ connectionString: "postgresql://h/db", options: `-c search_path=mine -c datestyle=German ${options}` });
  expect(options).toContain("-c datestyle=ISO,\\ MDY -c ");
});

test("the schema that Prisma's URLs name is not sent", () => {
  expect(read("postgresql://h/db?schema=public").servers).toEqual([{ connectionString: "postgresql://h/db", options }]);
});

describe("TLS", () => {
  const ssl = (query: string) => read(`postgresql://h/db?${query}`).servers[0]!.ssl;

  test("its modes", () => {
    const ca = "package.json";
    expect(ssl("a=b")).toBeUndefined();
    expect(ssl("sslmode=disable")).toBe(false);
    expect(ssl("ssl=false")).toBe(false);
    expect(ssl("ssl=true")).toEqual({});
    expect(ssl("sslmode=require")).toEqual({ rejectUnauthorized: false });
    expect(ssl("sslmode=verify-full&sslrootcert=system")).toEqual({});
    expect(ssl(`sslmode=verify-full&sslrootcert=${ca}`)).toEqual({ ca: expect.stringContaining("maintenance-gateway") });
    expect(ssl(`sslmode=verify-ca&sslrootcert=${ca}`)).toEqual({
      ca: expect.stringContaining("maintenance-gateway"),
      checkServerIdentity: expect.any(Function),
    });
  });
});

test.each([
  ["postgresql://user:secret@h1:port/db", `DATABASE_URL: "h1:port" is not a valid host or host:port`],
  ["postgresql://user:secret@h1:70000/db", `DATABASE_URL: "h1:70000" is not a valid host or host:port`],
  ["postgresql://user:secret@h1,/db", `DATABASE_URL: "" is not a valid host or host:port`],
  [
    "postgresql://user:secret@h1/db#x",
    "DATABASE_URL must be like postgresql://user:password@host:5432/database, with several hosts separated by commas",
  ],
  [
    "postgresql://h/db?target_session_attrs=leader",
    "DATABASE_URL: target_session_attrs must be one of any, read-write, read-only, primary, standby",
  ],
  ["postgresql://h/db?schema=mine", "DATABASE_URL: schema=mine is not supported; the tables are in the schema public"],
  ["postgresql://h/db?sslmode=prefer", "DATABASE_URL: sslmode must be one of disable, require, verify-ca, verify-full"],
  ["postgresql://h/db?sslmode=verify-ca", "DATABASE_URL: sslmode=verify-ca needs sslrootcert, the file of the CA's certificate"],
  ["postgresql://h/db?sslmode=require&sslcert=package.json", "DATABASE_URL: sslcert and sslkey must be set together"],
  ["postgresql://h/db?sslmode=require&sslrootcert=/none", "DATABASE_URL: sslrootcert cannot be read (ENOENT): /none"],
])("%s is refused", (url, message) => {
  expect(() => read(url)).toThrow(new Error(message));
});
