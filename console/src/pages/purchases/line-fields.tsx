/** Lines of a purchase order as fields of a form. */
import { t } from "@lingui/core/macro";
import { Plus, Trash2 } from "lucide-react";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { PartChoice } from "../../parts/part-choice.js";
import { priceWords } from "../../parts/price-words.js";
import { RowButton, useRowFocus } from "../../parts/row-buttons.js";
import { amount, exact, unitWord } from "../../parts/words.js";
import { WorkOrderChoice } from "../../parts/work-order-choice.js";
import { amountOf, type LineDraft, type LineValues, newLine, type Offer } from "./draft.js";

interface Props {
  lines: LineDraft[];
  /** By id of the part. */
  offers: Map<string, Offer>;
  /** In the order of the lines. */
  values: LineValues[];
  currency: string;
  /** Currency of an offer's prices. */
  currencyOf: (offer: Offer) => string | undefined;
  /** Site of the order. Empty if not chosen yet. */
  site: string;
  /** Sites that can receive a line. */
  sites: string[];
  wrong: Record<string, string>;
  onChange: (lines: LineDraft[]) => void;
}

export function LineFields({ lines, wrong, onChange, ...shared }: Props) {
  const [list, setFocus] = useRowFocus();
  const add = (line: LineDraft) => {
    onChange([...lines, line]);
    setFocus({ at: lines.length, part: "input" });
  };
  const remove = (index: number) => {
    onChange(lines.filter((_, at) => at !== index));
    if (lines.length > 1) setFocus({ at: Math.max(0, index - 1), part: "[data-remove]" });
  };
  return (
    <fieldset className="stack tight">
      <legend className="strong">{t`Lines`}</legend>
      <ol className="step-fields stack tight" ref={list} aria-label={t`Lines`}>
        {lines.map((line, index) => (
          <li key={line.key}>
            <LineRow
              {...shared}
              line={line}
              number={index + 1}
              own={shared.values[index]!}
              wrongAt={(field) => wrong[`lines.${index}.${field}`]}
              onChange={(change) => onChange(lines.map((one, at) => (at === index ? { ...one, ...change } : one)))}
              onRemove={() => remove(index)}
            />
          </li>
        ))}
      </ol>
      <PartChoice label={t`Add a part`} onChoose={(part) => add(newLine({ part }))} />
      <span>
        <button type="button" className="button small" onClick={() => add(newLine())}>
          <Plus className="icon" aria-hidden />
          {t`Add a service`}
        </button>
      </span>
    </fieldset>
  );
}

interface RowProps extends Omit<Props, "lines" | "values" | "wrong" | "onChange"> {
  line: LineDraft;
  number: number;
  own: LineValues;
  wrongAt: (field: string) => string | undefined;
  onChange: (change: Partial<LineDraft>) => void;
  onRemove: () => void;
}

function LineRow({ line, number, own, offers, currency, currencyOf, site, sites, wrongAt, onChange, onRemove }: RowProps) {
  const { part, workOrder } = line;
  const offer = part && offers.get(part.id);
  const sum = amountOf(line, own, currency);
  const set = (name: keyof LineDraft) => (event: { target: { value: string } }) => onChange({ [name]: event.target.value });
  return (
    <fieldset className="stack tight">
      <legend className="hidden-text">{part ? t`Line ${number}: ${part.name}` : t`Line ${number}`}</legend>
      <div className="row spread">
        {part ? (
          <span className="anywhere">
            <span className="strong">{part.name}</span>{" "}
            <span className="muted small">{[part.partNumber, offer?.partNumber].filter(Boolean).join(" · ")}</span>
          </span>
        ) : (
          <span className="strong">{t`Service`}</span>
        )}
        <RowButton label={t`Remove line ${number}`} data={{ "data-remove": "" }} icon={Trash2} onClick={onRemove} />
      </div>
      {wrongAt("partId") && (
        <span className="wrong" role="alert">
          {wrongAt("partId")}
        </span>
      )}
      {!part && (
        <TextField
          label={t`Description`}
          required
          maxLength={255}
          value={line.description}
          wrong={wrongAt("description")}
          onChange={set("description")}
        />
      )}
      <div className="grid-2 keep">
        <NumberField
          label={t`Quantity`}
          required
          hint={offer && own.isInOrderUnit ? packWords(offer) : undefined}
          value={line.quantity}
          wrong={wrongAt("quantity")}
          onChange={set("quantity")}
        />
        <TextField
          label={t`Order unit`}
          placeholder={part ? unitWord(part.unitOfMeasure) : undefined}
          maxLength={255}
          value={own.unit}
          wrong={wrongAt("unit")}
          onChange={set("unit")}
        />
        {part && (
          <NumberField
            label={[t`In a unit`, unitWord(part.unitOfMeasure)].filter(Boolean).join(", ")}
            value={own.unitFactor}
            wrong={wrongAt("unitFactor")}
            onChange={set("unitFactor")}
          />
        )}
        <NumberField
          label={[t`Price of a unit`, currency].filter(Boolean).join(", ")}
          hint={offer && priceWords(offer.priceBreaks, currencyOf(offer))}
          value={own.price}
          wrong={wrongAt("price")}
          onChange={set("price")}
        />
        <TextField
          label={t`Promised date`}
          type="date"
          max="9999-12-31"
          value={line.promised}
          wrong={wrongAt("promisedAt")}
          onChange={set("promised")}
        />
        {(sites.length > 1 || line.site) && (
          <Select label={t`Deliver to`} value={line.site} wrong={wrongAt("site")} onChange={set("site")}>
            <option value="">{site || t`The order's site`}</option>
            {[...new Set([...sites, ...(line.site ? [line.site] : [])])]
              .filter((one) => one !== site)
              .map((one) => (
                <option key={one}>{one}</option>
              ))}
          </Select>
        )}
      </div>
      {workOrder ? (
        <div className="row spread">
          <span className="small anywhere">{t`For the work order “${workOrder.title}”`}</span>
          <button type="button" className="button small" onClick={() => onChange({ workOrder: undefined })}>
            {t`Remove`} <span className="hidden-text">{workOrder.title}</span>
          </button>
        </div>
      ) : (
        <details className="stack tight">
          <summary>{t`Work order`}</summary>
          <WorkOrderChoice
            label={t`Work order that needs it`}
            wrong={wrongAt("workOrderId")}
            onChoose={({ id, title }) => onChange({ workOrder: { id, title } })}
          />
        </details>
      )}
      {sum !== undefined && (
        <div className="row spread">
          <span className="muted">{t`Amount`}</span>
          <span className="num">{amount(sum, currency)}</span>
        </div>
      )}
    </fieldset>
  );
}

/** The quantities that the supplier sells. */
function packWords({ packSize, minimumQuantity }: Offer): string | undefined {
  const words = [packSize !== 1 && t`a multiple of ${exact(packSize)}`, minimumQuantity != null && t`at least ${exact(minimumQuantity)}`];
  return words.filter(Boolean).join(", ") || undefined;
}
