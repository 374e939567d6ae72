/** Parts that a supplier sells: add, change and remove. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { RemoveSupplierPart, SetSupplierPart, type SupplierPageQuery } from "../../generated/suppliers.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { Dialog } from "../../parts/dialog.js";
import { More } from "../../parts/more.js";
import { PartChoice } from "../../parts/part-choice.js";
import { priceWords } from "../../parts/price-words.js";
import { RecordForm } from "../../parts/record-form.js";
import type { FieldSpec } from "../../parts/record-values.js";
import { messageOf } from "../../parts/states.js";
import { exact, figure, numberOf, numberText, unitWord } from "../../parts/words.js";
import { useSession } from "../../session/session.js";

type Supplier = NonNullable<SupplierPageQuery["supplier"]>;
type SoldPart = Supplier["parts"]["nodes"][number];

interface Props {
  supplier: Supplier;
  isBusy: boolean;
  onChanged: () => void;
  onMore: (after: string | null | undefined) => void;
}

export function SupplierParts({ supplier, isBusy, onChanged, onMore }: Props) {
  const { can } = useSession();
  const [asked, setAsked] = useState<"choose" | { part: SoldPart["part"]; id?: string } | { removed: SoldPart }>();
  const { nodes, pageInfo } = supplier.parts;
  const canWrite = can("updateSupplier");
  const close = () => setAsked(undefined);
  return (
    <section className="card" aria-labelledby="supplier-parts" aria-busy={isBusy}>
      <header>
        <h2 id="supplier-parts">{t`Parts`}</h2>
        {canWrite && supplier.isActive && (
          <button type="button" className="button small" onClick={() => setAsked("choose")}>
            <Plus className="icon" aria-hidden />
            {t`Add a part`}
          </button>
        )}
      </header>
      <div className="body flush">
        {nodes.length ? (
          <ul className="list">
            {nodes.map((sold) => (
              <li key={sold.id} className="unit-line">
                <div className="grow stack tight" style={{ minWidth: 200 }}>
                  <Link className="strong anywhere" to="/stock/$id" params={{ id: sold.part.id }}>
                    {sold.part.name}
                  </Link>
                  <span className="muted small anywhere">{factsOf(sold).filter(Boolean).join(" · ")}</span>
                  <span className="small anywhere">{priceWords(sold.priceBreaks, sold.currency ?? supplier.currency)}</span>
                </div>
                {sold.isPreferred && <span className="status info">{t`Preferred`}</span>}
                {canWrite && (
                  <span className="row">
                    {supplier.isActive && (
                      <button
                        type="button"
                        className="button small icon-only"
                        aria-label={t`Edit ${sold.part.name}`}
                        onClick={() => setAsked({ part: sold.part, id: sold.id })}
                      >
                        <Pencil className="icon" aria-hidden />
                      </button>
                    )}
                    <button
                      type="button"
                      className="button small danger icon-only"
                      aria-label={t`Remove ${sold.part.name}`}
                      onClick={() => setAsked({ removed: sold })}
                    >
                      <Trash2 className="icon" aria-hidden />
                    </button>
                  </span>
                )}
              </li>
            ))}
          </ul>
        ) : (
          <p className="muted" style={{ padding: "2px 18px 18px" }}>
            {t`No parts yet.`}
          </p>
        )}
        <More hasMore={pageInfo.hasNextPage} isBusy={isBusy} onMore={() => onMore(pageInfo.endCursor)} />
      </div>
      {asked === "choose" && (
        <Dialog title={t`Add a part`} onClose={close}>
          <div className="dialog-body">
            <PartChoice label={t`Part`} without={nodes.map(({ part }) => part.id)} onChoose={(part) => setAsked({ part })} />
          </div>
        </Dialog>
      )}
      {typeof asked === "object" && "part" in asked && (
        <SoldPartForm
          supplier={supplier}
          part={asked.part}
          sold={nodes.find(({ id }) => id === asked.id)}
          onClose={close}
          onChanged={onChanged}
        />
      )}
      {typeof asked === "object" && "removed" in asked && (
        <RemoveDialog supplier={supplier} sold={asked.removed} onClose={close} onChanged={onChanged} />
      )}
    </section>
  );
}

const factsOf = ({ part, partNumber, orderUnit, unitFactor, packSize, minimumQuantity, leadTime }: SoldPart) => [
  part.partNumber,
  partNumber && t`Supplier's number ${partNumber}`,
  orderUnit && t`${orderUnit} of ${exact(unitFactor, unitWord(part.unitOfMeasure))}`,
  packSize !== 1 && t`a multiple of ${exact(packSize)}`,
  minimumQuantity != null && t`at least ${exact(minimumQuantity)}`,
  leadTime != null && t`${figure(leadTime)} days`,
];

const fields: FieldSpec[] = [
  { name: "partNumber", label: t`Supplier's part number` },
  { name: "orderUnit", label: t`Order unit`, hint: t`Such as box. Empty: the unit of the part` },
  { name: "unitFactor", label: t`Quantity in an order unit`, kind: "number", required: true },
  { name: "packSize", label: t`Pack, order units`, kind: "number", required: true, hint: t`Orders are multiples of it` },
  { name: "minimumQuantity", label: t`Minimum, order units`, kind: "number" },
  { name: "leadTime", label: t`Lead time, days`, kind: "number" },
  { name: "currency", label: t`Currency`, hint: t`Empty: that of the supplier` },
  { name: "isPreferred", label: t`Preferred supplier of the part`, kind: "flag" },
  {
    name: "priceBreaks",
    label: t`Prices of an order unit`,
    kind: "pairs",
    hint: t`One quantity and its price a line, such as 10: 28.50. From 0 for any quantity`,
  },
];

interface FormProps {
  supplier: Supplier;
  part: { id: string; name: string };
  /** Without it, the form adds the part. */
  sold?: SoldPart;
  onClose: () => void;
  onChanged: () => void;
}

interface Input {
  priceBreaks?: Record<string, string>;
}

/** Prices by ascending quantity. The service names what it cannot read. */
const breaksOf = (pairs: Record<string, string>) =>
  Object.entries(pairs)
    .map(([quantity, price]) => ({ quantity: numberOf(quantity)!, price: numberOf(price)! }))
    .sort((a, b) => a.quantity - b.quantity);

function SoldPartForm({ supplier, part, sold, onClose, onChanged }: FormProps) {
  const set = useChange(SetSupplierPart);
  const record = sold && {
    ...sold,
    priceBreaks: Object.fromEntries(sold.priceBreaks.map(({ quantity, price }) => [numberText(quantity), numberText(price)])),
  };
  return (
    <RecordForm<Input>
      title={t`${part.name} from ${supplier.name}`}
      fields={() => fields}
      record={record}
      initial={sold ? undefined : { unitFactor: "1", packSize: "1" }}
      change={set}
      onSave={({ priceBreaks, ...input }, expectedVersion) =>
        set.run(
          {
            input: { supplierId: supplier.id, partId: part.id, ...input, ...(priceBreaks && { priceBreaks: breaksOf(priceBreaks) }) },
            expectedVersion,
          },
          t`Saved`,
        )
      }
      onClose={onClose}
      onReload={onChanged}
    />
  );
}

function RemoveDialog({
  supplier,
  sold,
  onClose,
  onChanged,
}: { supplier: Supplier; sold: SoldPart } & Pick<FormProps, "onClose" | "onChanged">) {
  const remove = useChange(RemoveSupplierPart);
  return (
    <Confirm
      title={t`Remove ${sold.part.name}?`}
      text={t`${supplier.name} no longer sells this part. Its orders stay.`}
      verb={t`Remove`}
      isBusy={remove.isBusy}
      refused={messageOf(remove.error)}
      onClose={onClose}
      onConfirm={async () => {
        if (await remove.run({ id: sold.id, expectedVersion: sold.version }, t`${sold.part.name} removed`)) onClose();
        onChanged();
      }}
    />
  );
}
