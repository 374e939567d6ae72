/** Costs of an order: labor, parts, and entered costs until the order is closed. */
import { t } from "@lingui/core/macro";
import { Plus, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { WorkOrderCostKind } from "../../../../packages/client/src/generated/schema.js";
import { AddCost, RemoveCost } from "../../generated/costs.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { plus } from "../../parts/decimals.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { NoCurrency } from "../../parts/no-currency.js";
import { messageBeside, messageOf, Refusal } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { amount, day, numberOf, wordOf } from "../../parts/words.js";
import { isWaiting } from "../../session/cache.js";
import { useSession } from "../../session/session.js";
import type { Order } from "./types.js";

type Cost = Order["costs"][number];

interface Props {
  order: Order;
  currency: string | null | undefined;
  onRefused: () => void;
}

export function Costs({ order, currency, onRefused }: Props) {
  const { can } = useSession();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Cost>();
  const { costs, laborCost, materialCost, status } = order;
  const isOpen = status !== "CLOSED";
  // Includes costs that wait for a connection.
  const total = plus(laborCost ?? 0, materialCost, ...costs.map((cost) => cost.amount));
  const inCurrency = (value: number) => amount(value, currency);
  return (
    <section className="card" aria-labelledby="costs">
      <header>
        <h2 id="costs">{t`Costs`}</h2>
        {isOpen && can("addWorkOrderCost") && (
          <button type="button" className="button small" onClick={() => setAdding(true)}>
            <Plus className="icon" aria-hidden />
            {t`Add cost`}
          </button>
        )}
      </header>
      <div className="body flush">
        <ul className="list costs">
          <li>
            <span className="grow">{t`Labor`}</span>
            <span className="num nowrap">{inCurrency(laborCost ?? 0)}</span>
          </li>
          <li>
            <span className="grow">{t`Parts`}</span>
            <span className="num nowrap">{inCurrency(materialCost)}</span>
          </li>
          {costs.map((cost) => (
            <li key={cost.id}>
              <div className="grow">
                <div className="anywhere">{cost.description}</div>
                <div className="muted small">
                  {[wordOf(cost.kind), cost.createdByPrincipal?.name, day(cost.createdAt, order.asset?.site)].filter(Boolean).join(" · ")}
                </div>
              </div>
              {isWaiting(cost.id) && <Status value="PENDING" label={t`Waiting to be sent`} />}
              {isOpen && can("removeWorkOrderCost") && (
                <button
                  type="button"
                  className="button plain small icon-only"
                  aria-label={t`Remove ${cost.description}`}
                  disabled={isWaiting(cost.id)}
                  onClick={() => setRemoved(cost)}
                >
                  <Trash2 className="icon" aria-hidden />
                </button>
              )}
              <span className="num nowrap">{inCurrency(cost.amount)}</span>
            </li>
          ))}
          <li className="strong">
            <span className="grow">{t`Total`}</span>
            <span className="num nowrap">{inCurrency(total)}</span>
          </li>
        </ul>
      </div>
      {(total > 0 || costs.length > 0) && (
        <div className="list-end">
          <NoCurrency currency={currency} />
        </div>
      )}
      {isAdding && <AddDialog order={order} currency={currency} onRefused={onRefused} onClose={() => setAdding(false)} />}
      {removed && (
        <RemoveDialog cost={removed} text={inCurrency(removed.amount)} onRefused={onRefused} onClose={() => setRemoved(undefined)} />
      )}
    </section>
  );
}

function AddDialog({ order, currency, onRefused, onClose }: Props & { onClose: () => void }) {
  const add = useChange(AddCost, { waits: true, onRefused });
  const [kind, setKind] = useState<WorkOrderCostKind>("CONTRACTOR");
  const [description, setDescription] = useState("");
  const [value, setValue] = useState("");
  const { wrong } = add;
  const refusal = messageBeside(add.error, "kind", "description", "amount");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { kind, description: description.trim(), amount: numberOf(value)! };
    if (await add.run({ id: order.id, input }, t`Cost added`)) onClose();
  };
  return (
    <Dialog title={t`Add a cost`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <Select label={t`Kind`} value={kind} wrong={wrong.kind} onChange={(event) => setKind(event.target.value as WorkOrderCostKind)}>
          {(["CONTRACTOR", "OTHER"] as const).map((one) => (
            <option key={one} value={one}>
              {wordOf(one)}
            </option>
          ))}
        </Select>
        <TextField
          label={t`Description`}
          hint={t`Such as the contractor and the invoice number`}
          required
          maxLength={255}
          value={description}
          wrong={wrong.description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <NumberField
          label={currency ? t`Amount in ${currency}` : t`Amount`}
          min={0}
          required
          value={value}
          wrong={wrong.amount}
          onChange={(event) => setValue(event.target.value)}
        />
        <Refusal text={refusal} />
        <DialogActions
          verb={add.isBusy ? t`Adding …` : t`Add`}
          isDisabled={add.isBusy || !description.trim() || !value}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

function RemoveDialog({ cost, text, onRefused, onClose }: { cost: Cost; text: string; onRefused: () => void; onClose: () => void }) {
  const remove = useChange(RemoveCost, { onRefused });
  return (
    <Confirm
      title={t`Remove the cost`}
      text={`${cost.description}: ${text}`}
      verb={t`Remove`}
      isBusy={remove.isBusy}
      refused={messageOf(remove.error) || undefined}
      onConfirm={async () => {
        if (await remove.run({ id: cost.id }, t`Cost removed`)) onClose();
      }}
      onClose={onClose}
    />
  );
}
