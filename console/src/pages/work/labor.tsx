/** Labor of an order, until the order is closed. To correct an entry, the user removes it and enters it again. */
import { t } from "@lingui/core/macro";
import { Plus, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useQuery } from "urql";
import { Assignees } from "../../generated/assign.js";
import { AddLabor, RemoveLabor } from "../../generated/labor.js";
import { useChange } from "../../parts/change.js";
import { plus, times } from "../../parts/decimals.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { messageBeside, messageOf, Refusal } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { day, money, numberOf, numberText, timeSpent } from "../../parts/words.js";
import { instantAt, today } from "../../parts/zones.js";
import { isWaiting } from "../../session/cache.js";
import { useSession } from "../../session/session.js";
import type { Order } from "./types.js";

type Entry = Order["labor"][number];
const minutesOf = (labor: Entry[]): number => plus(...labor.map(({ minutes }) => minutes));
/** The time worked on an order: its labor, or the duration entered at completion. */
export const workedMinutes = ({ labor, duration }: Order): number | undefined =>
  labor.length ? minutesOf(labor) : (duration ?? undefined);
const workerOf = ({ person, name }: Entry) => person?.name ?? name ?? t`Somebody`;

interface Props {
  order: Order;
  currency: string | null | undefined;
  onRefused: () => void;
}

export function Labor({ order, currency, onRefused }: Props) {
  const { can } = useSession();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Entry>();
  const { labor, laborCost, status } = order;
  const isOpen = status !== "CLOSED";
  const minutes = minutesOf(labor);
  return (
    <section className="card" aria-labelledby="labor">
      <header>
        <h2 id="labor">{t`Labor`}</h2>
        <span className="row">
          {labor.length > 0 && (
            <span className="small muted num">
              {timeSpent(minutes)}
              {!!laborCost && ` · ${money(laborCost, currency)}`}
            </span>
          )}
          {isOpen && can("addLaborEntry") && (
            <button type="button" className="button small" onClick={() => setAdding(true)}>
              <Plus className="icon" aria-hidden />
              {t`Enter time`}
            </button>
          )}
        </span>
      </header>
      <div className="body flush">
        {labor.length ? (
          <ul className="list">
            {labor.map((entry) => (
              <li key={entry.id}>
                <div className="grow">
                  <div className="strong anywhere">{workerOf(entry)}</div>
                  <div className="muted small">
                    {[
                      entry.workedAt ? day(entry.workedAt, order.asset?.site) : t`entered ${day(entry.createdAt, order.asset?.site)}`,
                      entry.rate > 0 && t`${money(entry.rate, currency)} per hour`,
                      !entry.person && t`external`,
                    ]
                      .filter(Boolean)
                      .join(" · ")}
                  </div>
                </div>
                {isWaiting(entry.id) && <Status value="PENDING" label={t`Waiting to be sent`} />}
                <span className="num nowrap">{timeSpent(entry.minutes)}</span>
                {isOpen && can("removeLaborEntry") && (
                  <button
                    type="button"
                    className="button plain small icon-only"
                    aria-label={t`Remove ${timeSpent(entry.minutes)} of ${workerOf(entry)}`}
                    disabled={isWaiting(entry.id)}
                    onClick={() => setRemoved(entry)}
                  >
                    <Trash2 className="icon" aria-hidden />
                  </button>
                )}
              </li>
            ))}
          </ul>
        ) : (
          <p className="muted" style={{ padding: "2px 18px 18px" }}>
            {laborCost ? t`No time entered. Labor cost entered: ${money(laborCost, currency)}.` : t`No time entered yet.`}
          </p>
        )}
      </div>
      {isAdding && <AddDialog order={order} onRefused={onRefused} onClose={() => setAdding(false)} />}
      {removed && <RemoveDialog entry={removed} onRefused={onRefused} onClose={() => setRemoved(undefined)} />}
    </section>
  );
}

function RemoveDialog({ entry, onRefused, onClose }: { entry: Entry; onRefused: () => void; onClose: () => void }) {
  const remove = useChange(RemoveLabor, { onRefused });
  return (
    <Dialog title={t`Remove the time`} onClose={onClose}>
      <div className="dialog-body">
        <p className="anywhere">{t`${timeSpent(entry.minutes)} of ${workerOf(entry)}. To correct it, remove it and enter it again.`}</p>
        {remove.error && (
          <p className="note bad" role="alert">
            {messageOf(remove.error)}
          </p>
        )}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            {t`Cancel`}
          </button>
          <button
            type="button"
            className="button danger"
            disabled={remove.isBusy}
            onClick={async () => {
              if (await remove.run({ id: entry.id }, t`Time removed`)) onClose();
            }}
          >
            {t`Remove`}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

const somebodyElse = t`somebody else`;

function AddDialog({ order, onRefused, onClose }: { order: Order; onRefused: () => void; onClose: () => void }) {
  const { principalId, name: ownName } = useSession();
  const site = order.asset?.site;
  const add = useChange(AddLabor, { waits: true, onRefused });
  const [{ data }] = useQuery({ query: Assignees, variables: { id: order.id } });
  const [hours, setHours] = useState("");
  const [minutes, setMinutes] = useState("");
  const [worker, setWorker] = useState(principalId);
  const [name, setName] = useState("");
  const [on, setOn] = useState(() => today(site));
  const last = order.labor.findLast(({ person }) => person?.id === worker) ?? order.labor.at(-1);
  const [rate, setRate] = useState<string>();
  const shownRate = rate ?? numberText(last?.rate ?? 0);
  const total = plus(times(numberOf(hours) ?? 0, 60), numberOf(minutes) ?? 0);
  const { wrong } = add;
  const refusal = messageBeside(add.error, "minutes", "personId", "name", "workedAt", "rate");

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      minutes: total,
      rate: numberOf(shownRate)!,
      ...(worker === somebodyElse ? { name: name.trim() } : { personId: worker }),
      // Noon for a past day. For today the current time, because the service rejects future times.
      workedAt: (on === today(site) ? new Date() : instantAt(on, "12:00", site)).toISOString(),
    };
    if (await add.run({ id: order.id, input }, t`${timeSpent(total)} entered`)) onClose();
  };
  return (
    <Dialog title={t`Enter time`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <div className="grid-2 keep">
          <NumberField label={t`Hours`} min={0} placeholder="0" value={hours} onChange={(event) => setHours(event.target.value)} />
          <NumberField
            label={t`Minutes`}
            min={0}
            placeholder="0"
            value={minutes}
            wrong={wrong.minutes}
            onChange={(event) => setMinutes(event.target.value)}
          />
        </div>
        <Select label={t`Who worked`} value={worker} wrong={wrong.personId} onChange={(event) => setWorker(event.target.value)}>
          <option value={principalId}>{t`${ownName} (you)`}</option>
          {data?.assignees
            ?.filter(({ id }) => id !== principalId)
            .map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          <option value={somebodyElse}>{t`Someone else, by name`}</option>
        </Select>
        {worker === somebodyElse && (
          <TextField
            label={t`Name`}
            hint={t`Such as a contractor's technician`}
            required
            maxLength={200}
            value={name}
            wrong={wrong.name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        <div className="grid-2 keep">
          <TextField
            label={t`Day`}
            type="date"
            required
            max={today(site)}
            value={on}
            wrong={wrong.workedAt}
            onChange={(event) => setOn(event.target.value)}
          />
          <NumberField
            label={t`Hourly rate`}
            min={0}
            required
            hint={t`0 if the time is not charged`}
            value={shownRate}
            wrong={wrong.rate}
            onChange={(event) => setRate(event.target.value)}
          />
        </div>
        <Refusal text={refusal} />
        <DialogActions verb={add.isBusy ? t`Entering …` : t`Enter`} isDisabled={add.isBusy || !(total > 0)} onClose={onClose} />
      </form>
    </Dialog>
  );
}
