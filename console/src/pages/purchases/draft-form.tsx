/** Form of a draft purchase order: supplier, lines and total. */
import { t } from "@lingui/core/macro";
import { type FormEvent, type ReactNode, useMemo } from "react";
import { useQuery } from "urql";
import type { PurchaseOrderLineInput } from "../../../../packages/client/src/generated/schema.js";
import { type NewPurchaseQuery, SupplierOffers } from "../../generated/draft.js";
import type { Change } from "../../parts/change.js";
import { NumberField, Select, TextArea, TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { amount, numberOf } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useSession } from "../../session/session.js";
import { amountOf, lineInput, type Offer, type PurchaseDraft, totalOf, valuesOf } from "./draft.js";
import { LineFields } from "./line-fields.js";

type Supplier = NonNullable<NewPurchaseQuery["suppliers"]>["nodes"][number];

export interface SavedDraft {
  currency: string;
  exchangeRate: number | null;
  notes: string | null;
  lines: PurchaseOrderLineInput[];
}

interface Props {
  draft: PurchaseDraft;
  suppliers: Supplier[];
  sites: NewPurchaseQuery["sites"];
  /** Currency of the stock. */
  stockCurrency: string | null | undefined;
  /** Supplier, site and currency of a stored draft cannot be changed. */
  isStored?: boolean;
  change: Pick<Change<unknown, never>, "wrong" | "error" | "isBusy">;
  /** Shown instead of the reason why the service refused the form. */
  meanwhile?: ReactNode;
  onDraft: (draft: PurchaseDraft) => void;
  onSubmit: (input: SavedDraft) => void;
  onCancel: () => void;
}

const headFields = ["supplierId", "site", "currency", "exchangeRate", "notes"] as const;

export function DraftForm(props: Props) {
  const { draft, suppliers, sites, stockCurrency, isStored, change, meanwhile, onDraft, onSubmit, onCancel } = props;
  const { sites: own } = useSession();
  const { wrong, error, isBusy } = change;
  const { supplierId, site, lines } = draft;
  const supplier = suppliers.find(({ id }) => id === supplierId);
  const usualCurrency = supplier?.currency ?? stockCurrency ?? "";
  const currency = draft.currency.trim().toUpperCase() || usualCurrency;
  const isForeign = !!stockCurrency && !!currency && currency !== stockCurrency;
  const siteNames = own.length ? own : (sites ?? []).map(({ name }) => name).filter(Boolean);
  const partIds = useMemo(() => [...new Set(lines.flatMap(({ part }) => part?.id ?? []))].sort(), [lines]);
  const [{ data, fetching }] = useQuery({
    query: SupplierOffers,
    variables: { supplierId, partIds },
    pause: !supplierId || !partIds.length,
  });
  const found = supplierId && partIds.length ? (data?.supplierParts?.nodes ?? []) : [];
  const offers = new Map(found.map((one) => [one.partId, one]));
  const currencyOf = (offer: Offer) => offer.currency ?? supplier?.currency ?? undefined;
  const values = lines.map((line) => {
    const offer = line.part && offers.get(line.part.id);
    return valuesOf(line, offer, currency, offer && currencyOf(offer));
  });
  const set = (name: keyof PurchaseDraft) => (event: { target: { value: string } }) => onDraft({ ...draft, [name]: event.target.value });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({
      currency,
      exchangeRate: isForeign ? (numberOf(draft.exchangeRate) ?? null) : null,
      notes: draft.notes.trim() || null,
      lines: lines.map((line, index) => lineInput(line, values[index]!, site)),
    });
  };
  return (
    <form className="card narrow" onSubmit={submit} aria-busy={isBusy || fetching}>
      <div className="body stack" style={{ padding: 20 }}>
        {!isStored && (
          <>
            <Select label={t`Supplier`} required value={supplierId} wrong={wrong.supplierId} onChange={set("supplierId")}>
              <option value="">{t`Choose a supplier`}</option>
              {suppliers.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
            <div className="grid-2 keep">
              <Select label={t`Site`} required value={site} wrong={wrong.site} onChange={set("site")}>
                <option value="">{t`Choose a site`}</option>
                {siteNames.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </Select>
              <TextField
                label={t`Currency`}
                hint={usualCurrency ? t`Empty: ${usualCurrency}` : t`Such as EUR`}
                autoComplete="off"
                maxLength={3}
                value={draft.currency}
                wrong={wrong.currency}
                onChange={set("currency")}
              />
            </div>
          </>
        )}
        {isForeign && (
          <NumberField
            label={t`Value of 1 ${currency} in ${stockCurrency}`}
            hint={t`Without it, every approval rule applies, and each receipt asks for it`}
            value={draft.exchangeRate}
            wrong={wrong.exchangeRate}
            onChange={set("exchangeRate")}
          />
        )}
        <LineFields
          lines={lines}
          offers={offers}
          values={values}
          currency={/^[A-Z]{3}$/.test(currency) ? currency : ""}
          currencyOf={currencyOf}
          site={site}
          sites={siteNames}
          wrong={wrong}
          onChange={(changed) => onDraft({ ...draft, lines: changed })}
        />
        <ZoneNote site={site || undefined} />
        <TextArea label={t`Notes for the supplier`} value={draft.notes} wrong={wrong.notes} onChange={set("notes")} />
        <div className="row spread strong">
          <span>{t`Total`}</span>
          <span className="num">
            {amount(
              totalOf(lines.map((line, index) => amountOf(line, values[index]!, currency))),
              /^[A-Z]{3}$/.test(currency) ? currency : "",
            )}
          </span>
        </div>
        {meanwhile ?? <Refusal text={wrong.lines ?? messageBeside(error, ...headFields, "lines")} />}
        <div className="actions">
          <button type="button" className="button" onClick={onCancel}>
            {t`Cancel`}
          </button>
          <button type="submit" className="button primary" disabled={isBusy || !!meanwhile || !supplierId || !site}>
            {isBusy ? t`Saving …` : t`Save draft`}
          </button>
        </div>
      </div>
    </form>
  );
}
