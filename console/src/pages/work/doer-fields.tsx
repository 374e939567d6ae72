import { t } from "@lingui/core/macro";
import { useId } from "react";
import { useQuery } from "urql";
import { Doers } from "../../generated/doer-fields.js";
import { Select, TextField } from "../../parts/field.js";
import { useSession } from "../../session/session.js";

export interface DoerDraft {
  personId: string;
  /** Crew, or another name as text. */
  crew: string;
}
export const nobody: DoerDraft = { personId: "", crew: "" };

interface Props {
  assetId: string | undefined;
  draft: DoerDraft;
  wrong?: string;
  onChange: (draft: DoerDraft) => void;
}

/** Person and crew of an order that does not exist yet. Managers choose among the people who may work at the site. Technicians can only take it. */
export function DoerFields({ assetId, draft, wrong, onChange }: Props) {
  const id = useId();
  const { principalId, name, crew, role } = useSession();
  const isManager = role !== "TECHNICIAN";
  const [{ data }] = useQuery({ query: Doers, variables: { assetId: assetId ?? "" }, pause: !assetId });
  const others = isManager ? (data?.assignees?.filter((one) => one.id !== principalId) ?? []) : [];
  const crews = new Set([crew, ...(data?.workOrderGroups?.map(({ assignedTechnician }) => assignedTechnician) ?? [])]);
  return (
    <div className="grid-2">
      <Select label={t`Person`} value={draft.personId} onChange={(event) => onChange({ ...draft, personId: event.target.value })}>
        <option value="">{t`Nobody yet`}</option>
        <option value={principalId}>{t`${name} (you)`}</option>
        {others.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </Select>
      <TextField
        label={t`Crew`}
        hint={draft.personId ? t`The person takes precedence.` : undefined}
        list={id}
        autoComplete="off"
        maxLength={200}
        value={draft.crew}
        wrong={wrong}
        onChange={(event) => onChange({ ...draft, crew: event.target.value })}
      />
      <datalist id={id}>
        {[...crews].filter(Boolean).map((one) => (
          <option key={one} value={one!} />
        ))}
      </datalist>
    </div>
  );
}
