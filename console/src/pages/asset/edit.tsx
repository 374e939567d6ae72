/** Asset form. A concurrent change by another user is reported, not overwritten. */
import { type FormEvent, useId, useState } from "react";
import { useQuery } from "urql";
import { Places, UpdateAsset, type UpdateAssetMutationVariables } from "../../generated/edit.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { Select, TextArea, TextField } from "../../parts/field.js";
import { messageOf } from "../../parts/states.js";
import { wordOf } from "../../parts/words.js";
import type { Asset } from "./types.js";

const statuses = ["OPERATIONAL", "MAINTENANCE", "OFFLINE", "PENDING", "DECOMMISSIONED"] as const;
const texts = [
  ["name", "Name"],
  ["type", "Type"],
  ["site", "Site"],
  ["area", "Area"],
  ["location", "Location"],
  ["serialNumber", "Serial number"],
  ["manufacturer", "Manufacturer"],
  ["model", "Model"],
  ["category", "Category"],
  ["criticality", "Criticality"],
  ["externalId", "Id in another system"],
] as const;
const dates = [
  ["installationDate", "Installed"],
  ["lastMaintenanceDate", "Last maintained"],
  ["nextMaintenanceDate", "Next maintenance"],
] as const;
type TextName = (typeof texts)[number][0] | "description";
type DateName = (typeof dates)[number][0];
type Field = TextName | DateName | "status";
type Values = Record<Field, string>;

const labels: Record<string, string> = Object.fromEntries([...texts, ...dates, ["description", "Description"], ["status", "Status"]]);
const required = new Set<Field>(["name", "type", "site", "area"]);
const rated = ["low", "medium", "high", "critical"];

/** The day of an instant in the user's time zone. */
function dayOf(value: string | null): string {
  if (!value) return "";
  const date = new Date(value);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
}

const valuesOf = (asset: Asset): Values =>
  Object.fromEntries([
    ...[...texts.map(([name]) => name), "description" as const].map((name) => [name, asset[name] ?? ""]),
    ...dates.map(([name]) => [name, dayOf(asset[name])]),
    ["status", asset.status],
  ]) as Values;

/** Changed fields only. Dates are sent as noon, which is the same day in nearly every time zone. */
function inputOf(before: Values, after: Values): UpdateAssetMutationVariables["input"] {
  const changed = (Object.keys(after) as Field[]).filter((name) => after[name].trim() !== before[name]);
  const isDate = (name: Field) => dates.some(([one]) => one === name);
  return Object.fromEntries(
    changed.map((name) => {
      const text = after[name].trim();
      if (isDate(name)) return [name, text ? new Date(`${text}T12:00`).toISOString() : null];
      return [name, text || (required.has(name) ? "" : null)];
    }),
  );
}

interface Props {
  asset: Asset;
  onClose: () => void;
  /** Reloads the asset. */
  onReload: () => void;
}

export function EditAsset({ asset, onClose, onReload }: Props) {
  const id = useId();
  const update = useChange(UpdateAsset);
  const [{ data: places }] = useQuery({ query: Places });
  // The version that the form started with. Only this version is overwritten.
  const [base, setBase] = useState(asset);
  const [values, setValues] = useState(() => valuesOf(asset));
  const before = valuesOf(base);
  const input = inputOf(before, values);
  const { wrong, error, isBusy } = update;
  const [refusal] = error?.graphQLErrors ?? [];
  const meanwhile =
    typeof refusal?.extensions?.version === "number" ? (refusal.extensions.changedFields as string[] | undefined) : undefined;
  const isRead = asset.version !== base.version;
  const known = Object.keys(wrong).every((name) => name in labels);

  const set = (name: Field) => (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value });
  /** Takes over the changes of others and keeps what the user typed. */
  const takeOver = () => {
    const now = valuesOf(asset);
    setValues(
      Object.fromEntries(
        (Object.keys(now) as Field[]).map((name) => [name, values[name] === before[name] ? now[name] : values[name]]),
      ) as Values,
    );
    setBase(asset);
    update.forget();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await update.run({ id: asset.id, expectedVersion: base.version, input }, "Saved");
    if (done) onClose();
    onReload();
  };
  const options: Partial<Record<Field, string[]>> = {
    site: places?.sites?.map(({ name }) => name).filter(Boolean),
    area: places?.sites?.find(({ name }) => name === values.site)?.areas.map(({ name }) => name),
    criticality: rated,
  };

  return (
    <Dialog title={`Edit ${base.name}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <div className="field-grid">
          {texts.map(([name, label]) => (
            <div key={name}>
              <TextField
                label={label}
                value={values[name]}
                required={name === "name" || name === "type"}
                list={options[name]?.length ? `${id}-${name}` : undefined}
                autoComplete="off"
                wrong={wrong[name]}
                onChange={set(name)}
              />
              {!!options[name]?.length && (
                <datalist id={`${id}-${name}`}>
                  {options[name].map((one) => (
                    <option key={one} value={one} />
                  ))}
                </datalist>
              )}
            </div>
          ))}
          <Select label="Status" value={values.status} wrong={wrong.status} onChange={set("status")}>
            {statuses.map((one) => (
              <option key={one} value={one}>
                {wordOf(one)}
              </option>
            ))}
          </Select>
          {dates.map(([name, label]) => (
            <TextField key={name} type="date" label={label} value={values[name]} wrong={wrong[name]} onChange={set(name)} />
          ))}
        </div>
        <TextArea label="Description" rows={3} value={values.description} wrong={wrong.description} onChange={set("description")} />
        {meanwhile ? (
          <div className="note warn" role="alert">
            <div className="stack tight">
              <span>
                Someone else changed this asset while you edited it
                {meanwhile.length > 0 && `: ${meanwhile.map((name) => labels[name] ?? wordOf(name)).join(", ")}`}. Your changes are not
                saved yet.
              </span>
              <button type="button" className="button small" disabled={!isRead} onClick={takeOver}>
                {isRead ? "Load their changes" : "Loading …"}
              </button>
            </div>
          </div>
        ) : (
          error &&
          (!known || !Object.keys(wrong).length) && (
            <p className="note bad" role="alert">
              {Object.values(wrong)[0] ?? messageOf(error)}
            </p>
          )
        )}
        <div className="actions stays">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isBusy || !!meanwhile || !Object.keys(input).length}>
            {isBusy ? "Saving …" : "Save"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
