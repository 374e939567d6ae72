/** Trace spans as used by the layers below the server. server/tracing.ts creates them if tracing is enabled. */

export type Attributes = Record<string, string | number | undefined>;

/** `server` handles a request; `client` calls another service. */
export type SpanKind = "server" | "client" | "internal";

export interface Span {
  readonly traceId: string;
  /** Headers that propagate the trace to another service. */
  readonly headers: Record<string, string>;
  begin(kind: SpanKind, name: string, attributes?: Attributes): Span;
  /** `error` is the code of a failure; a caller's mistake is not a failure. */
  end(attributes?: Attributes, error?: string): void;
}

/** A caller's headers, or the stored values. */
export interface TraceCarrier {
  traceparent?: unknown;
  tracestate?: unknown;
}

export interface Tracing {
  /** Begins a trace, or continues the caller's trace if its header is valid. */
  begin(kind: SpanKind, name: string, attributes: Attributes, carrier?: TraceCarrier): Span;
}
