/** The base address of links. Request headers are never its only source, because an attacker could set them. */
import type { IncomingMessage } from "node:http";
import { type AddressInfo, BlockList, isIP } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.js";

export type BaseUrlOf = (request: Pick<FastifyRequest, "protocol" | "host">) => string;

const ownNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The host of a Host header without its port. Undefined if the header is invalid. */
export function nameOfHost(host: string): string | undefined {
  return /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
}

/** Whether the page was opened by a name of the machine that the service runs on. */
const isOwnHost = (host: string): boolean => ownNames.has(nameOfHost(host) ?? "");

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

const isLoopback = (address = ""): boolean => isIP(address) !== 0 && loopback.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

/**
 * The demo key for pages that a browser on this machine opens by a name of this machine. Null for any other peer, regardless of `Host`, and
 * for requests that a proxy forwards.
 */
export const demoKeyFor = ({ headers, socket }: Pick<FastifyRequest, "headers" | "socket">, demoKey: string | undefined): string | null => {
  const isForwarded = headers.forwarded !== undefined || headers["x-forwarded-for"] !== undefined;
  return (!isForwarded && isLoopback(socket.remoteAddress) && isOwnHost(headers.host ?? "") && demoKey) || null;
};

/**
 * Returns the base URL as the client sees it: PUBLIC_URL, otherwise the request's host if it is a known name, otherwise the listening
 * address.
 */
export function baseUrlFrom(app: FastifyInstance, config: Config): BaseUrlOf {
  const { PUBLIC_URL, PUBLIC_HOSTS, HOST } = config;
  if (PUBLIC_URL) return () => PUBLIC_URL;
  const listed = new Set(PUBLIC_HOSTS);
  const named = bracketed(HOST).toLowerCase();
  const isKnown = (host: string, port: number): boolean => {
    if (listed.has(host.toLowerCase())) return true;
    const name = nameOfHost(host);
    return name !== undefined && (listed.has(name) || ((ownNames.has(name) || name === named) && host.endsWith(`:${port}`)));
  };
  // Stored, because a service that is shutting down no longer has an address.
  let { PORT: port } = config;
  app.addHook("onListen", async () => {
    ({ port } = app.server.address() as AddressInfo);
  });
  return ({ protocol, host }) => {
    if (isKnown(host, port)) return `${protocol}://${host}`;
    const [first] = PUBLIC_HOSTS ?? [];
    return first ? `${protocol}://${first}` : `http://${reachable(HOST)}:${port}`;
  };
}

/** Equivalent request data for a connection that fastify does not handle, such as a WebSocket. */
export const requestOf = ({ headers }: IncomingMessage, { TRUST_PROXY }: Config): Parameters<BaseUrlOf>[0] => {
  const forwarded = (name: "host" | "proto") => (TRUST_PROXY ? lastOf(headers[`x-forwarded-${name}`]) : undefined);
  const protocol = forwarded("proto") === "https" ? "https" : "http";
  return { protocol, host: forwarded("host") ?? headers.host ?? "" };
};

const lastOf = (header: string | string[] | undefined): string | undefined =>
  String(header ?? "")
    .split(",")
    .at(-1)
    ?.trim() || undefined;

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** An address that a local client can reach, if the service listens on all addresses. */
const reachable = (host: string): string => (host === "0.0.0.0" || host === "::" ? "127.0.0.1" : bracketed(host));
