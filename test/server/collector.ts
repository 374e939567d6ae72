/** A stand-in for the OpenTelemetry collector: accepts OTLP over HTTP as JSON, and keeps the spans. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  /** `server`, `client` or `internal`. */
  kind: string;
  name: string;
  isFailed: boolean;
  attributes: Record<string, string | number>;
}

const kinds = ["unspecified", "internal", "server", "client"];

const attributeValue = ({ stringValue, intValue, doubleValue }: any): string | number => stringValue ?? Number(intValue ?? doubleValue);
const attributesOf = (attributes: any[] = []) => Object.fromEntries(attributes.map(({ key, value }) => [key, attributeValue(value)]));

export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** Attributes of the services that sent spans. */
  readonly resources: Record<string, string | number>[] = [];
  /** All received text. */
  text = "";

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      if (request.method !== "POST" || request.url !== "/v1/traces" || request.headers["content-type"] !== "application/json")
        return void response.writeHead(404).end();
      collector.take(text);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    const collector = new Collector(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private take(text: string): void {
    this.text += text;
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
      this.resources.push(attributesOf(resource.attributes));
      for (const { spans } of scopeSpans)
        for (const { traceId, spanId, parentSpanId, kind, name, attributes, status } of spans)
          this.spans.push({
            traceId,
            spanId,
            parentSpanId: parentSpanId || undefined,
            kind: kinds[kind]!,
            name,
            isFailed: status.code === 2,
            attributes: attributesOf(attributes),
          });
    }
  }
}
