/** Batch, expiry day and serial numbers of a movement. */
import { t } from "@lingui/core/macro";
import { useId } from "react";
import { Select, TextArea, TextField } from "../../parts/field.js";
import { day, exact } from "../../parts/words.js";
import { instantAt } from "../../parts/zones.js";
import type { Batch, Part } from "./types.js";

export interface Numbers {
  batch: string;
  expires: string;
  serials: string;
}
export const noNumbers: Numbers = { batch: "", expires: "", serials: "" };

/** Serial numbers, one a line or separated by commas. */
export const serialsOf = (text: string): string[] | undefined =>
  text.trim()
    ? text
        .split(/[\n,;]/)
        .map((one) => one.trim())
        .filter(Boolean)
    : undefined;

/** The numbers as input. A batch can be used through its expiry day. */
export const numbersInput = ({ batch, expires, serials }: Numbers, site: string) => ({
  batchNumber: batch.trim() || undefined,
  ...(expires && { expiryDate: instantAt(expires, "23:59:59", site).toISOString() }),
  serialNumbers: serialsOf(serials),
});

interface Props {
  part: Pick<Part, "tracksBatches" | "tracksSerials">;
  /** Batches on hand at the site. */
  batches: Batch[];
  values: Numbers;
  onChange: (values: Numbers) => void;
  wrong: Record<string, string>;
  /** The stock arrives, so that new batches and serial numbers are possible. */
  isArrival: boolean;
}

export function NumberFields({ part, batches, values, onChange, wrong, isArrival }: Props) {
  const id = useId();
  const set = (name: keyof Numbers) => (event: { target: { value: string } }) => onChange({ ...values, [name]: event.target.value });
  const isTracked = part.tracksBatches || part.tracksSerials;
  const serialsWrong = wrong.serialNumbers ?? Object.entries(wrong).find(([path]) => path.startsWith("serialNumbers."))?.[1];
  const fields = (
    <>
      <div className="field-grid">
        {isArrival ? (
          <>
            <div>
              <TextField
                label={t`Batch`}
                list={id}
                required={part.tracksBatches && !part.tracksSerials}
                autoComplete="off"
                value={values.batch}
                wrong={wrong.batchNumber}
                onChange={set("batch")}
              />
              <datalist id={id}>
                {batches.map(({ batchNumber }) => (
                  <option key={batchNumber} value={batchNumber} />
                ))}
              </datalist>
            </div>
            <TextField
              label={t`Expires on`}
              type="date"
              hint={t`Usable through this day`}
              value={values.expires}
              wrong={wrong.expiryDate}
              onChange={set("expires")}
            />
          </>
        ) : (
          <Select label={t`Batch`} value={values.batch} wrong={wrong.batchNumber} onChange={set("batch")}>
            <option value="">{part.tracksBatches && !part.tracksSerials ? t`First to expire` : t`Any`}</option>
            {batches.map(({ site, batchNumber, quantity, expiryDate }) => (
              <option key={batchNumber} value={batchNumber}>
                {batchNumber}: {exact(quantity)}
                {expiryDate && `, ${t`expires ${day(expiryDate, site)}`}`}
              </option>
            ))}
          </Select>
        )}
      </div>
      <TextArea
        label={t`Serial numbers`}
        rows={3}
        hint={t`One a line, as many as the quantity`}
        required={part.tracksSerials}
        value={values.serials}
        wrong={serialsWrong}
        onChange={set("serials")}
      />
    </>
  );
  if (isTracked) return fields;
  return (
    <details className="stack">
      <summary>{t`Batch and serial numbers`}</summary>
      {fields}
    </details>
  );
}
