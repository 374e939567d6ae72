/** Form of a draft invoice: number, dates, and the lines of its orders. */
import { t } from "@lingui/core/macro";
import type { FormEvent, ReactNode } from "react";
import type { Change } from "../../parts/change.js";
import { NumberField, TextArea, TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { amount, exact, numberOf } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { totalOf } from "../purchases/draft.js";
import { lineName, partUnit } from "../purchases/types.js";
import { amountText, type InvoiceDraft, type InvoiceInput, type InvoiceLineDraft, inputOf, invoicedLines } from "./invoice-draft.js";
import { orderedQuantity } from "./types.js";

interface Props {
  draft: InvoiceDraft;
  site: string;
  currency: string;
  /** Currency of the stock. */
  stockCurrency: string | null | undefined;
  change: Pick<Change<unknown, never>, "wrong" | "error" | "isBusy">;
  /** Shown instead of the reason why the service refused the form. */
  meanwhile?: ReactNode;
  onDraft: (draft: InvoiceDraft) => void;
  onSubmit: (input: InvoiceInput) => void;
  onCancel: () => void;
}

const shownFields = ["number", "invoiceDate", "dueDate", "exchangeRate", "notes", "lines"] as const;

export function InvoiceForm({ draft, site, currency, stockCurrency, change, meanwhile, onDraft, onSubmit, onCancel }: Props) {
  const { wrong, error, isBusy } = change;
  const { lines } = draft;
  const isForeign = !!stockCurrency && currency !== stockCurrency;
  const set = (name: Exclude<keyof InvoiceDraft, "lines">) => (event: { target: { value: string } }) =>
    onDraft({ ...draft, [name]: event.target.value });
  const sent = invoicedLines(lines);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(inputOf(draft, site, currency, isForeign));
  };
  return (
    <form className="card narrow" onSubmit={submit} aria-busy={isBusy}>
      <div className="body stack" style={{ padding: 20 }}>
        <TextField
          label={t`Number of the invoice`}
          required
          maxLength={255}
          autoComplete="off"
          value={draft.number}
          wrong={wrong.number}
          onChange={set("number")}
        />
        <div className="grid-2">
          <TextField
            label={t`Date`}
            type="date"
            required
            max="9999-12-31"
            value={draft.invoiceDate}
            wrong={wrong.invoiceDate}
            onChange={set("invoiceDate")}
          />
          <TextField
            label={t`Due date`}
            type="date"
            max="9999-12-31"
            value={draft.dueDate}
            wrong={wrong.dueDate}
            onChange={set("dueDate")}
          />
        </div>
        {isForeign && (
          <NumberField
            label={t`Value of 1 ${currency} in ${stockCurrency}`}
            hint={t`Empty: the rate of each receipt`}
            value={draft.exchangeRate}
            wrong={wrong.exchangeRate}
            onChange={set("exchangeRate")}
          />
        )}
        <fieldset className="stack tight">
          <legend className="strong">{t`Lines`}</legend>
          <p className="muted small">{t`Amounts are without taxes. Lines without a quantity are not invoiced.`}</p>
          <ol className="step-fields stack tight" aria-label={t`Lines`}>
            {lines.map((line, index) => (
              <li key={line.line.id}>
                <LineRow
                  draft={line}
                  number={index + 1}
                  currency={currency}
                  wrongAt={(field) => (sent.includes(line) ? wrong[`lines.${sent.indexOf(line)}.${field}`] : undefined)}
                  onChange={(changed) =>
                    onDraft({ ...draft, lines: lines.map((one, at) => (at === index ? { ...one, ...changed } : one)) })
                  }
                />
              </li>
            ))}
          </ol>
        </fieldset>
        <ZoneNote site={site} />
        <TextArea label={t`Notes`} value={draft.notes} wrong={wrong.notes} onChange={set("notes")} />
        <div className="row spread strong">
          <span>{t`Total`}</span>
          <span className="num">{amount(totalOf(sent.map((line) => numberOf(amountText(line, currency)))), currency)}</span>
        </div>
        {meanwhile ?? <Refusal text={wrong.lines ?? messageBeside(error, ...shownFields)} />}
        <div className="actions">
          <button type="button" className="button" onClick={onCancel}>
            {t`Cancel`}
          </button>
          <button type="submit" className="button primary" disabled={isBusy || !!meanwhile}>
            {isBusy ? t`Saving …` : t`Save draft`}
          </button>
        </div>
      </div>
    </form>
  );
}

interface RowProps {
  draft: InvoiceLineDraft;
  number: number;
  currency: string;
  wrongAt: (field: string) => string | undefined;
  onChange: (change: Partial<InvoiceLineDraft>) => void;
}

function LineRow({ draft, number, currency, wrongAt, onChange }: RowProps) {
  const { line, quantity } = draft;
  const unit = partUnit(line);

  const figures = [
    t`Ordered ${exact(orderedQuantity(line), unit)}`,
    t`Received ${exact(line.accepted, unit)}`,
    t`Invoiced ${exact(line.invoicedQuantity, unit)}`,
  ];
  const isInvoiced = !!quantity.trim();
  return (
    <fieldset className="stack tight">
      <legend className="hidden-text">{t`Line ${number}: ${lineName(line)}`}</legend>
      <span className="anywhere">
        <span className="strong">{lineName(line)}</span> <span className="muted small">{line.part?.partNumber}</span>
      </span>
      <span className="muted small anywhere">{figures.join(" · ")}</span>
      {wrongAt("orderLineId") && (
        <span className="wrong" role="alert">
          {wrongAt("orderLineId")}
        </span>
      )}
      <div className="grid-2 keep">
        <NumberField
          label={[t`Quantity`, unit].filter(Boolean).join(", ")}
          value={quantity}
          wrong={wrongAt("quantity")}
          onChange={(event) => onChange({ quantity: event.target.value })}
        />
        <NumberField
          label={[t`Amount`, currency].join(", ")}
          required={isInvoiced}
          disabled={!isInvoiced}
          value={isInvoiced ? amountText(draft, currency) : ""}
          wrong={wrongAt("amount")}
          onChange={(event) => onChange({ amount: event.target.value })}
        />
      </div>
    </fieldset>
  );
}
