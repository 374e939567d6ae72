/** Delegations of approvals in force: created and ended. */
import { t } from "@lingui/core/macro";
import { Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { DelegateApproval, EndDelegation, type PurchaseApprovalQuery } from "../../generated/approval.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { messageBeside, messageOf, Refusal } from "../../parts/states.js";
import { moment } from "../../parts/words.js";
import { addDays, instantAt, today } from "../../parts/zones.js";
import { useSession } from "../../session/session.js";

export interface Person {
  id: string;
  name: string;
}

interface Props {
  delegations: NonNullable<PurchaseApprovalQuery["purchaseDelegations"]>["nodes"];
  people: Person[];
  onChanged: () => void;
}

export function Delegations({ delegations, people, onChanged }: Props) {
  const { can, principalId } = useSession();
  const [isNew, setNew] = useState(false);
  const end = useChange(EndDelegation, { onRefused: onChanged });
  const others = people.filter(({ id }) => id !== principalId);
  return (
    <section className="card" aria-labelledby="delegations">
      <header>
        <h2 id="delegations">{t`Delegations`}</h2>
        {can("delegatePurchaseApproval") && (
          <button type="button" className="button small" onClick={() => setNew(true)}>
            <Plus className="icon" aria-hidden />
            {t`Delegate my approvals`}
          </button>
        )}
      </header>
      <div className="body flush">
        <Refusal text={end.error && messageOf(end.error)} />
        {delegations.length ? (
          <ul className="list">
            {delegations.map(({ id, principal, delegate, endsAt }) => (
              <li key={id}>
                <div className="grow stack tight">
                  <span className="strong anywhere">{t`${delegate.name} approves for ${principal.name}`}</span>
                  <span className="muted small">{t`until ${moment(endsAt)}`}</span>
                </div>
                {(principal.id === principalId || can("createPurchaseApprovalRule")) && (
                  <button
                    type="button"
                    className="button small"
                    disabled={end.isBusy}
                    onClick={() => void end.run({ id }, t`Delegation ended`).then(onChanged)}
                  >
                    {t`End now`} <span className="hidden-text">{delegate.name}</span>
                  </button>
                )}
              </li>
            ))}
          </ul>
        ) : (
          <p className="muted" style={{ padding: "2px 18px 18px" }}>
            {t`Nobody approves for another person.`}
          </p>
        )}
      </div>
      {isNew && <Delegate people={others} onChanged={onChanged} onClose={() => setNew(false)} />}
    </section>
  );
}

function Delegate({ people, onChanged, onClose }: { people: Person[]; onChanged: () => void; onClose: () => void }) {
  const delegate = useChange(DelegateApproval);
  const [delegateId, setDelegate] = useState("");
  const [lastDay, setLastDay] = useState(addDays(today(), 14));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const endsAt = instantAt(addDays(lastDay, 1), "00:00").toISOString();
    if (!(await delegate.run({ delegateId, endsAt }, t`Approvals delegated`))) return;
    onChanged();
    onClose();
  };
  return (
    <Dialog title={t`Delegate my approvals`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>{t`The person approves the orders for which a rule names you. You can still approve them too.`}</p>
        <Refusal text={messageBeside(delegate.error, "delegateId", "endsAt")} />
        <Select
          label={t`Person`}
          required
          hint={people.length ? undefined : t`Nobody else has written or approved a purchase order yet.`}
          value={delegateId}
          wrong={delegate.wrong.delegateId}
          onChange={(event) => setDelegate(event.target.value)}
        >
          <option value="">{t`Choose a person`}</option>
          {people.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <TextField
          label={t`Last day`}
          type="date"
          required
          value={lastDay}
          wrong={delegate.wrong.endsAt}
          onChange={(event) => setLastDay(event.target.value)}
        />
        <DialogActions verb={t`Delegate`} isDisabled={delegate.isBusy || !delegateId || !lastDay} onClose={onClose} />
      </form>
    </Dialog>
  );
}
