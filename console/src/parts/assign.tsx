/** Assigns a work order. Offers everyone who may be assigned, and shows a rejection here. */
import { t } from "@lingui/core/macro";
import { Check, UserRoundX } from "lucide-react";
import { useState } from "react";
import { useQuery } from "urql";
import { Assignees, AssignOrder } from "../generated/assign.js";
import { useSession } from "../session/session.js";
import { useChange } from "./change.js";
import { Dialog } from "./dialog.js";
import { useSettled } from "./hooks.js";
import { type Doer, doerOf } from "./people.js";
import { SearchField } from "./search-field.js";
import { Failed, Loading, messageOf } from "./states.js";

export interface Assignable extends Doer {
  id: string;
  title: string;
  version: number;
}

interface Props {
  order: Assignable;
  onClose: () => void;
  /** Called when the service rejects the assignment: the page may show old data. */
  onRefused?: () => void;
}

export function AssignDialog({ order, onClose, onRefused }: Props) {
  const { principalId } = useSession();
  const assign = useChange(AssignOrder, { onRefused });
  const [text, setText] = useState("");
  const name = useSettled(text.trim()) || undefined;
  const [{ data, fetching, error }, retry] = useQuery({ query: Assignees, variables: { id: order.id, name } });
  const { assignee, assignedTechnician } = order;
  const to = async (one: { id: string; name: string } | null) => {
    const variables = { id: order.id, principalId: one?.id ?? null, expectedVersion: order.version };
    if (await assign.run(variables, one ? t`Assigned to ${one.name}` : t`Unassigned`)) onClose();
  };
  const found = data?.assignees ?? [];
  // The user's own name is the most frequent choice.
  const people = [...found.filter(({ id }) => id === principalId), ...found.filter(({ id }) => id !== principalId)];
  return (
    <Dialog title={t`Assign the work`} onClose={onClose}>
      <div className="dialog-body">
        <p className="muted anywhere two-lines">
          {order.title}: {doerOf(order) ?? t`nobody yet`}
        </p>
        {assign.error && (
          <p className="note bad" role="alert">
            {assign.wrong.principalId
              ? t`This person is no longer active, or may not work at the asset's site. Choose another person.`
              : messageOf(assign.error)}
          </p>
        )}
        <SearchField placeholder={t`Find a name`} aria-label={t`Find a person`} value={text} onChange={setText} />
        {!data?.assignees && fetching && <Loading label={t`Loading people`} lines={4} />}
        {!data?.assignees && error && <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />}
        {data?.assignees && (
          <ul className="list choices people" aria-label={t`People`} aria-busy={fetching}>
            {people.map((one) => (
              <li key={one.id}>
                <button
                  type="button"
                  disabled={assign.isBusy}
                  aria-pressed={one.id === assignee?.id}
                  onClick={() => (one.id === assignee?.id ? onClose() : void to(one))}
                >
                  <span className="strong anywhere">{one.name}</span>
                  <span className="muted small row">
                    {one.id === principalId ? t`You` : one.kind === "SYSTEM" ? t`System` : ""}
                    {one.id === assignee?.id && <Check className="icon" aria-label={t`Assigned`} />}
                  </span>
                </button>
              </li>
            ))}
            {!people.length && <li className="muted">{t`No person with this name may work at the asset's site.`}</li>}
          </ul>
        )}
        {assignedTechnician && (
          <p className="muted small anywhere">{t`“${assignedTechnician}” was entered as text. It applies only while nobody is assigned.`}</p>
        )}
        <div className="actions">
          {assignee && (
            <button type="button" className="button" disabled={assign.isBusy} onClick={() => void to(null)}>
              <UserRoundX className="icon" aria-hidden />
              {t`Unassign`}
            </button>
          )}
          <button type="button" className="button" onClick={onClose}>
            {t`Cancel`}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
