/** Placeholders for a page without data: loading, empty, failed. */
import { t } from "@lingui/core/macro";
import type { CombinedError } from "@urql/core";
import { CircleAlert, type LucideIcon, SearchX, WifiOff } from "lucide-react";
import type { ReactNode } from "react";
import { type FieldError, fieldMessage } from "../language/field-messages.js";
import { refusalMessage } from "../language/refusal-messages.js";

export function Loading({ label = t`Loading`, lines = 6 }: { label?: string; lines?: number }) {
  return (
    <div className="stack" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className="bone" style={{ width: `${92 - ((index * 37) % 45)}%` }} />
      ))}
    </div>
  );
}

export const LoadingCard = ({ lines }: { lines?: number }) => (
  <div className="card">
    <div className="body" style={{ padding: 20 }}>
      <Loading lines={lines} />
    </div>
  </div>
);

export function Empty({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="state">
      <Icon className="icon" aria-hidden />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

export function Failed({ error, onRetry }: { error?: CombinedError; onRetry?: () => void }) {
  const isAway = !!error?.networkError;
  const Icon = isAway ? WifiOff : CircleAlert;
  return (
    <div className="state" role="alert">
      <Icon className="icon" aria-hidden />
      <h2>{isAway ? t`The service cannot be reached` : t`The data could not be loaded`}</h2>
      <p>{isAway ? t`The data appears when the connection is back.` : messageOf(error)}</p>
      {onRetry && (
        <button type="button" className="button" onClick={onRetry}>
          {t`Try again`}
        </button>
      )}
    </div>
  );
}

export function messageOf(error: CombinedError | undefined): string {
  if (!error) return "";
  if (error.networkError) return t`The service cannot be reached. Check the connection.`;
  // "Invalid input" needs the messages of its fields.
  const texts = error.graphQLErrors.flatMap(({ message, extensions }) => {
    const fields = (extensions?.fieldErrors ?? []) as FieldError[];
    if (message === "Invalid input" && fields.length) return fields.map((one) => `${one.path.at(-1)} ${fieldMessage(one)}.`);
    const text = refusalMessage(extensions);
    if (text) return text;
    // For "Forbidden", the reason is in the extensions.
    return typeof extensions?.message === "string" ? extensions.message : message;
  });
  return [...new Set(texts)].join(" ") || error.message;
}

/** The message, unless a field of the form shows it. `shown` lists the form's fields by the start of their paths. */
export const messageBeside = (error: CombinedError | undefined, ...shown: string[]): string | undefined =>
  error && !Object.keys(fieldErrorsOf(error)).some((path) => shown.some((one) => path === one || path.startsWith(`${one}.`)))
    ? messageOf(error)
    : undefined;

/** True if the only problem is that the record doesn't exist. */
const isMissing = ({ graphQLErrors, networkError }: CombinedError): boolean =>
  !networkError && graphQLErrors.every(({ extensions }) => ["NOT_FOUND", "BAD_USER_INPUT"].includes(String(extensions?.code)));

interface NoRecordProps {
  isLoading: boolean;
  error?: CombinedError;
  title: string;
  onRetry: () => void;
  children?: ReactNode;
}

/** In place of a record: it loads, could not be loaded, or does not exist. */
export function NoRecord({ isLoading, error, title, onRetry, children }: NoRecordProps) {
  if (isLoading) return <LoadingCard lines={10} />;
  if (error && !isMissing(error)) return <Failed error={error} onRetry={onRetry} />;
  return (
    <Empty icon={SearchX} title={title}>
      {children}
    </Empty>
  );
}

/** Validation messages by field name. */
export function fieldErrorsOf(error: CombinedError | undefined): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { extensions } of error?.graphQLErrors ?? [])
    for (const one of (extensions?.fieldErrors as FieldError[] | undefined) ?? [])
      found[one.path.slice(1).join(".") || String(one.path[0])] ??=
        (one.code === "CONFLICT" && refusalMessage(extensions)) || fieldMessage(one);
  return found;
}

/** Why the service refused a form, above its fields. */
export function Refusal({ text }: { text: string | false | undefined }) {
  return text ? (
    <p className="note bad" role="alert">
      {text}
    </p>
  ) : null;
}
