/** Creates a stock count for a site or for a part of its stock. */
import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useQuery } from "urql";
import { CreateStockCount, PartsToCount, type PartsToCountQuery } from "../../generated/count.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { useSettled } from "../../parts/hooks.js";
import { SearchField } from "../../parts/search-field.js";
import { count } from "../../parts/words.js";

type Part = NonNullable<PartsToCountQuery["parts"]>["nodes"][number];

interface Props {
  sites: { site: string | null; count: number }[];
  site?: string;
  onClose: () => void;
  onMade: (id: string) => void;
}

const scopes = [
  ["all", t`All stock of the site`],
  ["area", t`Part of the store`],
  ["location", t`One storage location`],
  ["category", t`A category`],
  ["abcClass", t`ABC class`],
  ["partIds", t`Chosen parts`],
] as const;
type Scope = (typeof scopes)[number][0];

export function NewCount({ sites, site: preset, onClose, onMade }: Props) {
  const create = useChange(CreateStockCount);
  const [site, setSite] = useState(preset ?? sites[0]?.site ?? "");
  const [scope, setScope] = useState<Scope>("all");
  const [text, setText] = useState("");
  const [abcClass, setAbcClass] = useState<"A" | "B" | "C">("A");
  const [parts, setParts] = useState<Part[]>([]);
  const [blind, setBlind] = useState(false);
  const [draft, setDraft] = useState(false);
  const [reason, setReason] = useState("");
  const { wrong, error, isBusy } = create;
  const isText = scope === "area" || scope === "location" || scope === "category";
  const shown = new Set(["site", "reason", scope]);
  const elsewhere = error && !Object.keys(wrong).some((field) => shown.has(field));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      site,
      blind,
      draft,
      reason: reason.trim() || undefined,
      ...(isText && { [scope]: text.trim() }),
      ...(scope === "abcClass" && { abcClass }),
      ...(scope === "partIds" && { partIds: parts.map(({ id }) => id) }),
    };
    const made = (await create.run({ input }))?.createStockCount;
    if (made) onMade(made.id);
  };

  return (
    <Dialog title={t`New stock count`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <Select label={t`Site`} value={site} wrong={wrong.site} onChange={(event) => setSite(event.target.value)}>
          {sites.map((one) => (
            <option key={one.site} value={one.site ?? ""}>
              {one.site} ({count(one.count)} {one.count === 1 ? t`stock level` : t`stock levels`})
            </option>
          ))}
        </Select>
        <Select
          label={t`What to count`}
          value={scope}
          onChange={(event) => {
            setScope(event.target.value as Scope);
            setText("");
          }}
        >
          {scopes.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        {isText && (
          <TextField
            label={scope === "area" ? t`Locations that begin with` : scope === "location" ? t`Storage location` : t`Category`}
            hint={scope === "area" ? t`For example, A- includes A-01 and A-02.` : undefined}
            required
            value={text}
            wrong={wrong[scope]}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        {scope === "abcClass" && (
          <Select
            label={t`Class`}
            hint={t`By the value issued at the site in the last 365 days: A is the first 80 %, B the next 15 %, C the rest.`}
            value={abcClass}
            wrong={wrong.abcClass}
            onChange={(event) => setAbcClass(event.target.value as typeof abcClass)}
          >
            {["A", "B", "C"].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        )}
        {scope === "partIds" && <PartPicker chosen={parts} wrong={wrong.partIds} onChange={setParts} />}
        <TextField label={t`Reason (optional)`} value={reason} wrong={wrong.reason} onChange={(event) => setReason(event.target.value)} />
        <div>
          <label className="check">
            <input type="checkbox" checked={blind} onChange={(event) => setBlind(event.target.checked)} />
            {t`Blind: hide book quantities until the count is posted`}
          </label>
          <label className="check">
            <input type="checkbox" checked={draft} onChange={(event) => setDraft(event.target.checked)} />
            {t`Save as a draft to open later`}
          </label>
        </div>
        {elsewhere && (
          <p className="note bad" role="alert">
            {Object.values(wrong)[0] ?? error.graphQLErrors[0]?.message ?? t`The service cannot be reached. Check the connection.`}
          </p>
        )}
        <DialogActions
          verb={isBusy ? t`Creating …` : t`Create count`}
          isDisabled={isBusy || !site || (isText && !text.trim()) || (scope === "partIds" && !parts.length)}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

function PartPicker({ chosen, wrong, onChange }: { chosen: Part[]; wrong?: string; onChange: (parts: Part[]) => void }) {
  const [text, setText] = useState("");
  const search = useSettled(text.trim());
  const [{ data, fetching }] = useQuery({ query: PartsToCount, variables: { search }, pause: !search });
  const found = search ? (data?.parts?.nodes ?? []).filter(({ id }) => !chosen.some((one) => one.id === id)) : [];
  const add = (part: Part) => {
    onChange([...chosen, part]);
    setText("");
  };
  return (
    <fieldset className="field">
      <legend className="label">{t`Parts`}</legend>
      {chosen.length > 0 && (
        <ul className="chips wrapped">
          {chosen.map((part) => (
            <li key={part.id}>
              <button
                type="button"
                className="chip"
                aria-label={t`Remove ${part.name}`}
                onClick={() => onChange(chosen.filter(({ id }) => id !== part.id))}
              >
                {part.name}
                <X className="icon" aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <SearchField
        aria-label={t`Find parts to count`}
        placeholder={t`Part name or number`}
        value={text}
        onChange={setText}
        onKeyDown={(event) => {
          // Enter adds the first match instead of submitting the form.
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (found[0] && search === text.trim()) add(found[0]);
        }}
      />
      {search && (
        <ul className="list choices" aria-label={t`Matching parts`} aria-busy={fetching}>
          {found.map((part) => (
            <li key={part.id}>
              <button type="button" onClick={() => add(part)}>
                <span className="strong">{part.name}</span>
                <span className="muted mono">{part.partNumber}</span>
              </button>
            </li>
          ))}
          {!found.length && <li className="muted">{fetching || search !== text.trim() ? t`Searching …` : t`No other part matches.`}</li>}
        </ul>
      )}
      {wrong && (
        <span className="wrong" role="alert">
          {wrong}
        </span>
      )}
    </fieldset>
  );
}
