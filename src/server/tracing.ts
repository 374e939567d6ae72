/** OpenTelemetry traces, sent to OTEL_EXPORTER_OTLP_ENDPOINT (docs/operations/monitor.md, "Traces"). Loaded only if that is set. */
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  SpanKind as Kind,
  type Span as OpenSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { Attributes, Span, SpanKind, TraceCarrier, Tracing } from "../database/watch/span.js";
import { fullVersion } from "../version.js";
import { withoutSecrets } from "./without-secrets.js";

/** Maximum characters of an attribute, such as a statement. */
const maxText = 4_000;

/** Maximum wait of a shutdown for unsent spans, in milliseconds. */
const flushMs = 2_000;

/** Minimum milliseconds between two log lines about a collector. */
const complaintMs = 60_000;

const kinds: Record<SpanKind, Kind> = { server: Kind.SERVER, client: Kind.CLIENT, internal: Kind.INTERNAL };

const propagator = new W3CTraceContextPropagator();

const shown = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === "string" ? withoutSecrets(value).slice(0, maxText) : value]),
  );

class SentSpan implements Span {
  private readonly context: Context;

  constructor(
    private readonly tracer: Tracer,
    private readonly span: OpenSpan,
    parent: Context,
  ) {
    this.context = trace.setSpan(parent, span);
  }

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  get headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    propagator.inject(this.context, headers, defaultTextMapSetter);
    return headers;
  }

  begin(kind: SpanKind, name: string, attributes: Attributes = {}): Span {
    // Children of an unsampled span are not recorded.
    if (!this.span.isRecording()) return this;
    return started(this.tracer, this.context, kind, name, attributes);
  }

  end(attributes: Attributes = {}, error?: string): void {
    if (!this.span.isRecording()) return;
    this.span.setAttributes(shown(attributes));
    if (error !== undefined) this.span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
  }
}

function started(tracer: Tracer, parent: Context, kind: SpanKind, name: string, attributes: Attributes): Span {
  return new SentSpan(tracer, tracer.startSpan(name, { kind: kinds[kind], attributes: shown(attributes) }, parent), parent);
}

export interface OpenTracing extends Tracing {
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

interface TracingOptions {
  /** URL of a collector that accepts OTLP over HTTP. */
  endpoint: string;
  serviceName: string;
  onError(error: unknown): void;
}

/** The library reads its settings for sampling, headers and batch size from the environment. */
export function openTracing({ endpoint, serviceName, onError }: TracingOptions): OpenTracing {
  const exporter = complaining(new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces` }), onError);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.version": fullVersion() }))
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ "service.name": serviceName })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer("maintenance-gateway", fullVersion());
  return {
    begin(kind: SpanKind, name: string, attributes: Attributes, carrier: TraceCarrier = {}): Span {
      return started(tracer, propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter), kind, name, attributes);
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, flushMs).unref()));
      await Promise.race([provider.shutdown().catch(onError), late]);
      clearTimeout(timer);
    },
  };
}

/** The exporter with throttled reports of failures. */
function complaining(exporter: SpanExporter, onError: (error: unknown) => void): SpanExporter {
  let complainedAt = Number.NEGATIVE_INFINITY;
  const send = exporter.export.bind(exporter);
  exporter.export = (spans, done) =>
    send(spans, (result) => {
      if (result.code === ExportResultCode.FAILED && performance.now() - complainedAt > complaintMs) {
        complainedAt = performance.now();
        onError(result.error);
      }
      done(result);
    });
  return exporter;
}
