/** Rights of a new key: role, sites and expiry. */
import { t } from "@lingui/core/macro";
import type { CreateApiKeyInput } from "../../../../packages/client/src/generated/schema.js";
import { Select, TextField } from "../../parts/field.js";
import { wordOf } from "../../parts/words.js";
import { instantAt } from "../../parts/zones.js";
import { Abilities } from "./abilities.js";

const roles = ["REQUESTER", "VIEWER", "INGEST", "TECHNICIAN", "MANAGER", "ADMIN"] as const;
type Role = (typeof roles)[number];
const roleHints: Record<Role, string> = {
  REQUESTER: t`Reports faults, and sees its own reports.`,
  VIEWER: t`Reads everything.`,
  INGEST: t`Sends readings and alerts.`,
  TECHNICIAN: t`Does work, and moves stock.`,
  MANAGER: t`Plans, approves, and changes the plant.`,
  ADMIN: t`Full access, including keys and webhooks.`,
};

export interface Rights {
  role: Role;
  /** Empty for all sites. */
  sites: string[];
  readAll: boolean;
  /** A day, or empty. */
  expires: string;
}
export const newRights: Rights = { role: "TECHNICIAN", sites: [], readAll: false, expires: "" };

export const rightsInput = ({ role, sites, readAll, expires }: Rights): Omit<CreateApiKeyInput, "name" | "principalId"> => ({
  role,
  ...(sites.length && { sites, readAll }),
  // The key stays valid through its expiry day.
  ...(expires && { expiresAt: instantAt(expires, "23:59:59").toISOString() }),
});

interface Props {
  sites: string[];
  rights: Rights;
  wrong: Record<string, string>;
  onChange: (rights: Rights) => void;
}

export function KeyRights({ sites, rights, wrong, onChange }: Props) {
  const { role, sites: chosen, readAll, expires } = rights;
  const set = (change: Partial<Rights>) => onChange({ ...rights, ...change });
  return (
    <>
      <Select
        label={t`Role`}
        hint={roleHints[role]}
        value={role}
        wrong={wrong.role}
        onChange={(event) => set({ role: event.target.value as Role })}
      >
        {roles.map((one) => (
          <option key={one} value={one}>
            {wordOf(one)}
          </option>
        ))}
      </Select>
      <fieldset>
        <legend className="strong small">{t`Sites that the key may change (none selected: all)`}</legend>
        {sites.map((site) => (
          <label key={site} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(site)}
              onChange={(event) => set({ sites: event.target.checked ? [...chosen, site] : chosen.filter((one) => one !== site) })}
            />
            {site}
          </label>
        ))}
      </fieldset>
      {chosen.length > 0 && (
        <label className="check">
          <input type="checkbox" checked={readAll} onChange={(event) => set({ readAll: event.target.checked })} />
          {t`Reads the records of all sites`}
        </label>
      )}
      <TextField
        label={t`Expires on`}
        hint={t`Valid through this day. Leave empty for a key that does not expire.`}
        type="date"
        value={expires}
        wrong={wrong.expiresAt}
        onChange={(event) => set({ expires: event.target.value })}
      />
      <Abilities role={role} sites={chosen} readAll={readAll} />
    </>
  );
}
