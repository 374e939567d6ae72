/** Texts of refused requests in the console's language, by the code and the values in an error's extensions (docs/graphql.md, "Errors"). */
import { plural, t } from "@lingui/core/macro";
import { exact, wordOf } from "../parts/words.js";
import type { FieldError } from "./field-messages.js";
import { language } from "./language.js";

export type Extensions = Record<string, unknown>;

function conflictMessage(extensions: Extensions): string | undefined {
  const { conflict, expectedVersion, version, available, open, inQuarantine, requested, status, allowed, step, fieldErrors } = extensions;
  if (conflict === "IDEMPOTENCY_KEY_RUNNING") return t`The first attempt is still running. Wait a moment, then try again.`;
  if (expectedVersion !== undefined && version !== undefined)
    return t`Someone else changed this record in the meantime. Load it again, then repeat your change.`;
  if (typeof available === "number" && typeof requested === "number")
    return t`Not enough: ${exact(requested)} requested, ${exact(available)} available.`;
  if (typeof open === "number" && typeof requested === "number")
    return t`More than is open: ${exact(requested)} entered, ${exact(open)} open.`;
  if (typeof inQuarantine === "number" && typeof requested === "number")
    return t`More than is in quarantine: ${exact(requested)} entered, ${exact(inQuarantine)} in quarantine.`;
  const taken = (fieldErrors as FieldError[] | undefined)?.find(({ code }) => code === "TAKEN");
  const value = extensions[String(taken?.path.at(-1))];
  if (typeof value === "string") return t`“${value}” is already in use.`;
  // The status is not the reason if a step is.
  if (typeof status !== "string" || step !== undefined) return undefined;
  const states = Array.isArray(allowed) ? allowed.map(wordOf).join(", ") : "";
  return [t`This is not possible in the status “${wordOf(status.toUpperCase())}”.`, states && t`Possible now: ${states}.`]
    .filter(Boolean)
    .join(" ");
}

/** Undefined if the service's English message is more specific, or if the console is in English. */
export function refusalMessage(extensions: Extensions = {}): string | undefined {
  if (language === "en") return undefined;
  const { message, retryAfter, maxSize, receivedSize, reason } = extensions;
  switch (extensions.code) {
    case "CONFLICT":
      return conflictMessage(extensions);
    case "NOT_FOUND":
      return t`The record does not exist, or has been deleted.`;
    case "FORBIDDEN":
      // Only the English text says which rule forbids it.
      return [t`You are not allowed to do this.`, message].filter(Boolean).join(" ");
    case "RATE_LIMITED":
      return typeof retryAfter === "number"
        ? plural(retryAfter, { one: "Too many requests. Try again in # second.", other: "Too many requests. Try again in # seconds." })
        : undefined;
    case "PAYLOAD_TOO_LARGE":
      return t`The file is too large: ${String(receivedSize)}, at most ${String(maxSize)}.`;
    case "SERVICE_UNAVAILABLE":
      return reason ? t`The service cannot do this until an operator has repaired it.` : t`The service is busy. Try again in a moment.`;
    default:
      return undefined;
  }
}
