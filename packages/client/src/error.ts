/** A value that was refused: `path` leads from the argument down, such as `["input", "serialNumber"]`. */
export interface FieldError {
  path: (string | number)[];
  /** Kind of mistake, such as `REQUIRED`, `TOO_LONG` or `TAKEN`. Later releases may add codes. */
  code: string;
  message: string;
  /** The limits that the value broke, for a text of the client's own: `{ max: 255, unit: "characters" }`. */
  params?: { min?: number; max?: number; exclusiveMin?: number; exclusiveMax?: number; unit?: string };
}

/** An error of a GraphQL answer. */
export interface AnswerError {
  message: string;
  path?: readonly (string | number)[];
  extensions?: { code?: string; fieldErrors?: FieldError[]; [name: string]: unknown };
}

/** Every failure of a request or subscription, except an abort and what `getToken` throws. */
export class GatewayError extends Error {
  override name = "GatewayError";
  /** The first error's code, such as `CONFLICT`. `NETWORK_ERROR` without an answer, `HTTP_502` and the like for an answer without GraphQL. */
  readonly code: string;
  /** The refused values of all errors, to be shown at a form's fields. */
  readonly fieldErrors: FieldError[];

  constructor(
    readonly errors: readonly AnswerError[],
    /** What was answered beside the errors: a root field that was refused is null, the others are there. */
    readonly data?: unknown,
    options?: ErrorOptions,
  ) {
    super(errors[0]?.message ?? "The answer has neither data nor errors", options);
    this.code = errors[0]?.extensions?.code ?? "UNKNOWN";
    this.fieldErrors = errors.flatMap(({ extensions }) => extensions?.fieldErrors ?? []);
  }
}

export const failure = (code: string, message: string, cause?: unknown): GatewayError =>
  new GatewayError([{ message, extensions: { code } }], undefined, { cause });
