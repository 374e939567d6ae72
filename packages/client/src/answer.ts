import { type AnswerError, failure, GatewayError } from "./error.js";

export type Answer =
  | { data: unknown; error?: undefined }
  | {
      error: GatewayError;
      /** Whether the same request may succeed later. */
      isTemporary: boolean;
      /** In milliseconds. */
      retryAfter?: number;
    };

export async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const { data, errors } = answerIn(await response.text());
  if (data !== undefined && !errors) return { data };
  const error = errors ? new GatewayError(errors, data) : failure(`HTTP_${status}`, `The answer, with status ${status}, is not of a graph`);
  return { error, isTemporary: [429, 502, 503, 504].includes(status), retryAfter: millisecondsOf(headers.get("retry-after")) };
}

export const unreachable = (cause: unknown): Answer & { error: GatewayError } => ({
  error: failure("NETWORK_ERROR", "The service cannot be reached", cause),
  isTemporary: true,
});

function answerIn(text: string): { data?: unknown; errors?: AnswerError[] } {
  try {
    const { data, errors } = JSON.parse(text);
    return { data, ...(Array.isArray(errors) && errors.length && { errors }) };
  } catch {
    return {};
  }
}

/** `Retry-After` is a number of seconds or a date. */
function millisecondsOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter);
  return Math.max(0, (Number.isNaN(seconds) ? Date.parse(retryAfter!) - Date.now() : seconds * 1000) || 0);
}
