/** A part of a trace, as the layers know it: server/tracing.ts makes them where traces are sent. */

export type Attributes = Record<string, string | number | undefined>;

/** `server` handles a request; `client` calls another service. */
export type SpanKind = "server" | "client" | "internal";

export interface Span {
  readonly traceId: string;
  /** Headers that have another service go on with the trace. */
  readonly headers: Record<string, string>;
  begin(kind: SpanKind, name: string, attributes?: Attributes): Span;
  /** `error` is the code of a failure; what a caller did wrong is none. */
  end(attributes?: Attributes, error?: string): void;
}

/** Headers of a caller, or the values that were kept of them. */
export interface TraceCarrier {
  traceparent?: unknown;
  tracestate?: unknown;
}

export interface Tracing {
  /** Begins a trace, or goes on with that of the caller if it names one properly. */
  begin(kind: SpanKind, name: string, attributes: Attributes, carrier?: TraceCarrier): Span;
}
