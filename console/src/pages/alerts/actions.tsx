/** Actions on one or several alerts: acknowledge, resolve, dismiss as false, and feedback. */
import { plural, t } from "@lingui/core/macro";
import { BellOff, Check, Eye } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useClient } from "urql";
import { ChangeAlert, type ChangeAlertMutationVariables, RateAlert } from "../../generated/alerts.js";
import { ButtonGroup } from "../../parts/button-group.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { Select, TextArea } from "../../parts/field.js";
import { messageBeside, messageOf, Refusal } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import { count } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import type { Alert } from "./types.js";

type Values = Omit<ChangeAlertMutationVariables, "id">;

/** Changes alerts one after the other, and says how many changed and why the others did not. */
function useChangeAll() {
  const client = useClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const run = async (alerts: readonly Alert[], values: Values, done: string): Promise<Alert[]> => {
    setBusy(true);
    const changed: Alert[] = [];
    const reasons = new Set<string>();
    for (const alert of alerts) {
      const { error } = await client.mutation(ChangeAlert, { id: alert.id, ...values }, {}).toPromise();
      if (error) reasons.add(messageOf(error));
      else changed.push(alert);
    }
    setBusy(false);
    const counted = alerts.length > 1 ? t`${count(changed.length)} of ${count(alerts.length)}: ${done}` : done;
    if (changed.length || !reasons.size) toast(counted);
    for (const reason of reasons) toast(reason, true);
    return changed;
  };
  return { run, isBusy };
}

interface BulkProps {
  selectable: Alert[];
  selection: Alert[];
  onSelect: (ids: string[], isSelected: boolean) => void;
  onDone: () => void;
}

export function Bulk({ selectable, selection, onSelect, onDone }: BulkProps) {
  const { run, isBusy } = useChangeAll();
  const [isDismissing, setDismissing] = useState(false);
  const isAll = selectable.length > 0 && selection.length === selectable.length;
  const ids = (alerts: Alert[]) => alerts.map(({ id }) => id);
  const finish = (changed: Alert[]) => {
    onSelect(ids(changed), false);
    onDone();
  };
  const open = selection.filter(({ status }) => status === "OPEN");
  return (
    <ButtonGroup className="row wrap bulk" aria-label={t`Selected alerts`}>
      <label className="check">
        <input type="checkbox" checked={isAll} onChange={(event) => onSelect(ids(selectable), event.target.checked)} />
        {t`Select all`}
      </label>
      {selection.length > 0 && (
        <>
          <span className="muted small num" role="status">
            {t`${count(selection.length)} selected`}
          </span>
          <button
            type="button"
            className="button small"
            disabled={isBusy || !open.length}
            onClick={async () => finish(await run(open, { status: "ACKNOWLEDGED" }, t`Acknowledged`))}
          >
            <Eye className="icon" aria-hidden />
            {t`Acknowledge selected`}
          </button>
          <button
            type="button"
            className="button small"
            disabled={isBusy}
            onClick={async () => finish(await run(selection, { status: "RESOLVED" }, t`Resolved`))}
          >
            <Check className="icon" aria-hidden />
            {t`Resolve selected`}
          </button>
          <button type="button" className="button small" disabled={isBusy} onClick={() => setDismissing(true)}>
            <BellOff className="icon" aria-hidden />
            {t`Dismiss selected`}
          </button>
        </>
      )}
      {isDismissing && (
        <Dismiss
          alerts={selection}
          onClose={() => setDismissing(false)}
          onDone={(changed) => {
            setDismissing(false);
            finish(changed);
          }}
        />
      )}
    </ButtonGroup>
  );
}

const shelving = [
  ["", t`Raise again with the next reading beyond the limit`],
  ["1", t`Shelve for 1 day`],
  ["3", t`Shelve for 3 days`],
  ["7", t`Shelve for 7 days`],
] as const;

interface DismissProps {
  alerts: Alert[];
  onClose: () => void;
  onDone: (changed: Alert[]) => void;
}

/** Dismisses alerts as false, and records the verdict, which counts in the precision of the detector. */
export function Dismiss({ alerts, onClose, onDone }: DismissProps) {
  const { can } = useSession();
  const client = useClient();
  const { run, isBusy } = useChangeAll();
  // While a condition is met, an alert cannot be dismissed without shelving.
  const isMet = alerts.some(({ isConditionMet }) => isConditionMet);
  const [reason, setReason] = useState("");
  const [days, setDays] = useState<string>(isMet ? "1" : "");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const text = reason.trim();
    // A minute less, because the clock of this device may be ahead.
    const shelvedUntil = days ? new Date(Date.now() + Number(days) * 86_400_000 - 60_000).toISOString() : undefined;
    const changed = await run(alerts, { status: "DISMISSED", reason: text, shelvedUntil }, t`Dismissed as false`);
    if (can("addNotificationFeedback"))
      for (const { id } of changed)
        await client.mutation(RateAlert, { id, input: { verdict: "FALSE_ALARM", comments: text } }, {}).toPromise();
    if (changed.length) onDone(changed);
  };
  return (
    <Dialog title={plural(alerts.length, { one: "Dismiss as a false alarm", other: "Dismiss # false alarms" })} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {alerts.length === 1 && <p className="anywhere">{alerts[0]!.title}</p>}
        <TextArea
          label={t`Why is it false?`}
          hint={t`Stored in the history, and as feedback to the detector.`}
          required
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Select label={t`Until when`} value={days} onChange={(event) => setDays(event.target.value)}>
          {shelving
            .filter(([value]) => value || !isMet)
            .map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
        </Select>
        <DialogActions verb={t`Dismiss`} isDisabled={isBusy || !reason.trim()} onClose={onClose} />
      </form>
    </Dialog>
  );
}

const verdicts = [
  ["CONFIRMED", t`Right: the equipment had a problem`],
  ["FALSE_ALARM", t`False alarm: the equipment had no problem`],
  ["UNCLEAR", t`Could not be determined`],
] as const;

export function Rate({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const rate = useChange(RateAlert);
  const [verdict, setVerdict] = useState<(typeof verdicts)[number][0]>(alert.feedback?.verdict ?? "CONFIRMED");
  const [comments, setComments] = useState("");
  const [actionTaken, setActionTaken] = useState("");
  const refusal = messageBeside(rate.error, "comments", "actionTaken");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      verdict,
      ...(comments.trim() && { comments: comments.trim() }),
      ...(actionTaken.trim() && { actionTaken: actionTaken.trim() }),
    };
    if (await rate.run({ id: alert.id, input }, t`Feedback stored`)) onClose();
  };
  return (
    <Dialog title={t`Feedback on the alert`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="anywhere">{alert.title}</p>
        <Select label={t`Was the alert right?`} value={verdict} onChange={(event) => setVerdict(event.target.value as typeof verdict)}>
          {verdicts.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        <TextArea
          label={t`What was found`}
          value={comments}
          wrong={rate.wrong.comments}
          onChange={(event) => setComments(event.target.value)}
        />
        <TextArea
          label={t`What was done`}
          value={actionTaken}
          wrong={rate.wrong.actionTaken}
          onChange={(event) => setActionTaken(event.target.value)}
        />
        <Refusal text={refusal} />
        <DialogActions verb={t`Save`} isDisabled={rate.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
