/** Assignees of work. An assigned person takes precedence over a name entered as text. */
import { t } from "@lingui/core/macro";
import type { WorkOrderFilter } from "../../../packages/client/src/generated/schema.js";

export interface Doer {
  assignee?: { id: string; name: string } | null;
  assignedTechnician: string | null;
}
export const doerOf = ({ assignee, assignedTechnician }: Doer): string | undefined => assignee?.name ?? assignedTechnician ?? undefined;

/** Filter in the URL: a person's author id, `me` or `nobody`, and a name entered as text. Either may be absent. */
export interface Choice {
  person?: string;
  who?: string;
}
interface Me {
  authorId: string;
  name: string;
  crew?: string | null;
}
export interface Group {
  assigneeId: string | null;
  assignee: { name: string } | null;
  assignedTechnician: string | null;
  count: number;
}

const asText = (names: string[]): WorkOrderFilter => ({ assignedTechnicianIn: names, isNull: ["ASSIGNEE_ID"] });
/** The names that count as the user's own work: the user's name and crew. */
const namesOf = ({ name, crew }: Me) => [name, ...(crew ? [crew] : [])];

export function filterOf({ person, who }: Choice, me: Me): WorkOrderFilter | undefined {
  if (person === "nobody") return { isNull: ["ASSIGNEE_ID", "ASSIGNED_TECHNICIAN"] };
  if (person === "me") return { or: [{ assigneeId: me.authorId }, asText(namesOf(me))] };
  if (person && who) return { or: [{ assigneeId: person }, asText([who])] };
  return person ? { assigneeId: person } : who ? asText([who]) : undefined;
}

export interface People {
  mine: number;
  nobodys: number;
  /** All other people with work, by name. */
  others: (Choice & { name: string; count: number })[];
}

export function peopleOf(groups: readonly Group[], me: Me): People {
  const found: People = { mine: 0, nobodys: 0, others: [] };
  const byName = new Map<string, People["others"][number]>();
  // Persons first, so that an equal text counts as that person.
  for (const { assigneeId, assignee, assignedTechnician: who, count } of [...groups].sort((a, b) => +!a.assigneeId - +!b.assigneeId)) {
    const isMine = assigneeId ? assigneeId === me.authorId : who !== null && namesOf(me).includes(who);
    if (isMine) found.mine += count;
    else if (!assigneeId && who === null) found.nobodys += count;
    else {
      const name = assignee?.name ?? who ?? t`Somebody`;
      const key = assigneeId ?? [...byName].find(([, one]) => one.name === name)?.[0] ?? `text ${name}`;
      const one = byName.get(key) ?? { name, count: 0, ...(assigneeId && { person: assigneeId }) };
      byName.set(key, { ...one, count: one.count + count, ...(!assigneeId && { who: name }) });
    }
  }
  found.others = [...byName.values()].sort((a, b) => a.name.localeCompare(b.name));
  return found;
}
