/** Versions of templates with the keys of their items. Keys are derived for versions created by release 0.2.0, which did not store any. */

import type { TenantQueryable } from "../../database/database.js";
import type { Rows } from "../../database/rows/catalogue.js";
import { pick } from "../../database/rows/catalogue.js";
import { groupsOf } from "../../database/rows/group.js";
import { KeyedItems, keysOf } from "./template-items.js";

type VersionRecord = Pick<Rows["ComponentTemplateVersion"], "templateId" | "version" | "ordinal" | "components" | "keys">;
const columns = pick("ComponentTemplateVersion", ["templateId", "version", "ordinal", "components", "keys"], "v");

export interface TemplateVersion {
  version: string;
  /** 0 for 1.0.0, 1 for 1.1.0. */
  ordinal: number;
  items: KeyedItems;
  /** Whether the keys are derived rather than stored. */
  isDerived: boolean;
}

/** The newest version of a template, and the requested ones. */
export class TemplateVersions {
  private readonly byVersion: Map<string, TemplateVersion>;
  readonly newest: TemplateVersion;

  constructor(readonly all: TemplateVersion[]) {
    this.byVersion = new Map(all.map((version) => [version.version, version]));
    this.newest = all.at(-1)!;
  }

  get(version: string | null): TemplateVersion | undefined {
    return this.byVersion.get(version ?? "");
  }
}

/**
 * Reads the newest version of each template and the versions in `built`, in one statement. A chain without stored keys is read from its
 * start.
 */
export async function templateVersions(
  db: TenantQueryable,
  templateIds: readonly string[],
  built: readonly { templateId: string | null; templateVersion: string | null; builtFrom: string }[] = [],
): Promise<TemplateVersions[]> {
  const rows = await db.query<VersionRecord>(
    `select ${columns} from "ComponentTemplateVersion" v join "ComponentTemplate" t on t."tenantId" = $1 and t.id = v."templateId"
     where v."tenantId" = $1 and v."templateId" = any($2) and (v.version = t.version or v.keys = '{}' or v."templateId" || ' ' || v.version = any($3) or exists (
       select 1 from "ComponentTemplateVersion" n
       where n."tenantId" = $1 and n."templateId" = v."templateId" and n.ordinal = v.ordinal + 1 and n.keys = '{}'
     )) order by v."templateId", v.ordinal`,
    templateIds,
    [
      ...new Set(
        built.flatMap(({ templateId, templateVersion, builtFrom }) => [`${templateId} ${templateVersion}`, `${templateId} ${builtFrom}`]),
      ),
    ],
  );
  return groupsOf(templateIds, rows, ({ templateId }) => templateId).map((versions) => new TemplateVersions(versions.reduce(keyed, [])));
}

/** Appends a version to the preceding ones. */
function keyed(before: TemplateVersion[], { version, ordinal, components, keys }: VersionRecord): TemplateVersion[] {
  const isDerived = !keys.length && components.length > 0;
  const items = new KeyedItems(components, isDerived ? keysOf(components, ordinal + 1, before.at(-1)?.items, new Map()) : keys);
  return [...before, { version, ordinal, items, isDerived }];
}

/** Stores derived keys, or the keys of a new version. Stored keys never change. */
export async function storeKeys(
  tx: TenantQueryable,
  templateId: string,
  versions: { version: string; keys: readonly string[] }[],
): Promise<void> {
  await tx.query(
    `update "ComponentTemplateVersion" v set keys = k.keys from jsonb_to_recordset($3::jsonb) k(version text, keys text[])
     where v."tenantId" = $1 and v."templateId" = $2 and v.version = k.version and v.keys = '{}' and k.keys <> '{}'`,
    templateId,
    JSON.stringify(versions),
  );
}
