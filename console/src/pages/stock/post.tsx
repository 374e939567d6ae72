/** Receives, issues or returns stock at a site. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { IssueStock, ReceiveStock, ReturnStock } from "../../generated/moves.js";
import { UpdateLevel } from "../../generated/part-edit.js";
import { useChange } from "../../parts/change.js";
import { minus } from "../../parts/decimals.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { useOwnSites } from "../../parts/places.js";
import { messageBeside } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import { exact, moment, numberOf, unitWord } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { NumberFields, noNumbers, numbersInput } from "./numbers.js";
import type { MoveProps } from "./types.js";

type Kind = "receive" | "issue" | "return";
const words = {
  receive: { title: t`Receive stock`, quantity: t`Quantity received`, done: (quantity: string) => t`${quantity} received` },
  issue: { title: t`Issue stock`, quantity: t`Quantity issued`, done: (quantity: string) => t`${quantity} issued` },
  return: { title: t`Return stock`, quantity: t`Quantity returned`, done: (quantity: string) => t`${quantity} returned` },
};
const fields = ["quantity", "unitCost", "reference", "reason", "batchNumber", "expiryDate", "serialNumbers", "site"];

export function PostDialog({ part, batches, site, kind, onSite, onClose, onDone }: MoveProps & { kind: Kind }) {
  const { can } = useSession();
  const ownSites = useOwnSites();
  const toast = useToast();
  const changes = { receive: useChange(ReceiveStock), issue: useChange(IssueStock), return: useChange(ReturnStock) };
  const locate = useChange(UpdateLevel);
  const [amount, setAmount] = useState("");
  const [cost, setCost] = useState("");
  const [bin, setBin] = useState<string>();
  const [text, setText] = useState("");
  const [issueId, setIssueId] = useState("");
  const [numbers, setNumbers] = useState(noNumbers);
  const { isBusy, error, wrong } = changes[kind];
  const { title, quantity: quantityLabel, done } = words[kind];
  const level = part.stockLevels.find((one) => one.site === site);
  const quantity = numberOf(amount);
  const unitCost = numberOf(cost);
  const unit = unitWord(part.unitOfMeasure);
  const stocked = part.stockLevels.map((one) => one.site);
  // Stock can arrive at any site, and leave only where there is some.
  const sites = kind === "issue" ? stocked : [...new Set([...stocked, ...ownSites, site])];
  const issues = part.movements.nodes.filter((one) => one.type === "ISSUE" && one.site === site);
  const isCosted = kind === "receive" || (kind === "return" && !issueId);
  const canLocate = kind === "receive" && can("updateInventory");

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (quantity === undefined) return;
    const input = {
      site,
      quantity,
      ...numbersInput(numbers, site),
      ...(isCosted && { unitCost }),
      [kind === "receive" ? "reference" : "reason"]: text.trim() || undefined,
    };
    const posted =
      kind === "return"
        ? (await changes.return.run({ partId: part.id, input, issueId: issueId || undefined }))?.returnStock
        : kind === "issue"
          ? (await changes.issue.run({ partId: part.id, input }))?.issueStock
          : (await changes.receive.run({ partId: part.id, input }))?.receiveStock;
    if (!posted) return;
    const isBlocked = (posted.stock?.blockedStock ?? 0) > (level?.blockedStock ?? 0);
    toast([done(exact(quantity)), isBlocked && t`Waiting for approval.`].filter(Boolean).join(". "));
    const place = bin?.trim();
    if (canLocate && place !== undefined && place !== (level?.location ?? ""))
      await locate.run({ partId: part.id, site, input: { location: place || null } });
    onDone();
  };

  return (
    <Dialog title={t`${title} at ${site}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">
          {t`${part.name}: ${exact(level?.quantity ?? 0, unit)} on hand`}
          {kind === "issue" && level && level.availableStock !== level.quantity && `, ${t`${exact(level.availableStock)} available`}`}
          {level?.location && `, ${t`in ${level.location}`}`}.
        </p>
        {sites.length > 1 && (
          <Select label={t`Site`} value={site} wrong={wrong.site} onChange={(event) => onSite(event.target.value)}>
            {sites.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        )}
        {kind === "return" && issues.length > 0 && (
          <Select
            label={t`Returned from`}
            hint={t`A return has the value of its issue`}
            value={issueId}
            wrong={wrong.issueId}
            onChange={(event) => setIssueId(event.target.value)}
          >
            <option value="">{t`No particular issue`}</option>
            {issues.map((one) => (
              <option key={one.id} value={one.id}>
                {t`${exact(minus(0, one.quantity))} issued ${moment(one.performedAt, site)} by ${one.performedByName}`}
              </option>
            ))}
          </Select>
        )}
        <div className="field-grid">
          <NumberField
            label={quantityLabel}
            required
            value={amount}
            wrong={wrong.quantity}
            onChange={(event) => setAmount(event.target.value)}
          />
          {isCosted && (
            <NumberField
              label={[t`Unit cost`, part.currency].filter(Boolean).join(", ")}
              hint={kind === "receive" ? t`Empty: the known cost` : t`Empty: the average cost`}
              value={cost}
              wrong={wrong.unitCost}
              onChange={(event) => setCost(event.target.value)}
            />
          )}
          {canLocate && (
            <TextField
              label={t`Bin`}
              hint={t`Storage location at ${site}`}
              value={bin ?? level?.location ?? ""}
              onChange={(event) => setBin(event.target.value)}
            />
          )}
          <TextField
            label={kind === "receive" ? t`Delivery note or order` : t`Reason`}
            value={text}
            wrong={wrong.reference ?? wrong.reason}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <NumberFields
          part={part}
          batches={batches.filter((one) => one.site === site)}
          values={numbers}
          wrong={wrong}
          isArrival={kind !== "issue"}
          onChange={setNumbers}
        />
        {messageBeside(error, ...fields) && (
          <p className="note bad" role="alert">
            {messageBeside(error, ...fields)}
          </p>
        )}
        <DialogActions
          verb={isBusy ? t`Saving …` : t`Save`}
          isDisabled={isBusy || quantity === undefined || (cost.trim() !== "" && unitCost === undefined)}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
