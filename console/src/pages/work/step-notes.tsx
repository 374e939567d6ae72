import { t } from "@lingui/core/macro";
import { Lock, Replace, ShieldAlert } from "lucide-react";
import type { ReactNode } from "react";

const lockWords: Record<string, string> = { ISOLATE: t`Isolate and lock out`, VERIFY: t`Verify the isolation`, RELEASE: t`Release` };

interface Props {
  step: { kind: string; safetyNote: string | null; checkpoints: string[]; tools: string[] };
  children?: ReactNode;
}

/** Requirements of a step: dangers and lockout, then `children`, then checks and tools. */
export const StepNotes = ({ step: { kind, safetyNote, checkpoints, tools }, children }: Props) => (
  <>
    {safetyNote && (
      <span className="status warn wrap-text">
        <ShieldAlert className="icon" aria-hidden />
        {safetyNote}
      </span>
    )}
    {lockWords[kind] && (
      <span className="status info">
        <Lock className="icon" aria-hidden />
        {lockWords[kind]}
      </span>
    )}
    {kind === "EXCHANGE" && (
      <span className="status info">
        <Replace className="icon" aria-hidden />
        {t`Exchange unit`}
      </span>
    )}
    {children}
    {checkpoints.length > 0 && <span className="muted small">{t`Check: ${checkpoints.join(", ")}`}</span>}
    {tools.length > 0 && <span className="muted small">{t`Tools: ${tools.join(", ")}`}</span>}
  </>
);
