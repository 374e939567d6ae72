/** Compares instances of templates with the newest version, in batches that fit into memory. */
import type { TenantQueryable } from "../../database/database.js";
import { groupsOf } from "../../database/rows/group.js";
import type { TemplateDifference } from "../../schema/components/template-drift.js";
import { badInput } from "../../schema/errors.js";
import { upgradeOf } from "./template-drift.js";
import { type BuiltComponent, builtComponents, instancesOf, maxComponents, nextInstances } from "./template-instances.js";
import { templateVersions } from "./template-versions.js";

/** An instance and its differences from the newest version. */
export interface ComparedInstance {
  id: string;
  assetId: string | null;
  rootId: string;
  builtFrom: string;
  components: BuiltComponent[];
  differences: TemplateDifference[];
}

export interface InstancePage {
  first: number;
  /** Cursor: only instances with a greater id. */
  after?: string | null | undefined;
  /** Only instances that differ. */
  isDifferent: boolean;
}

/** Passes the instances of each template to `take` in id order, at most `most` at a time, until it returns false. */
async function compare(
  db: TenantQueryable,
  templateIds: readonly string[],
  { after = null, most }: { after?: string | null | undefined; most?: number | undefined },
  take: (templateId: string, instances: ComparedInstance[]) => boolean,
): Promise<void> {
  let left = templateIds.map((templateId) => ({ templateId, after }));
  while (left.length) {
    const ids = left.map(({ templateId }) => templateId);
    const components = await nextInstances(db, left, most);
    const versions = await templateVersions(db, ids, components);
    const built = groupsOf(ids, components, ({ templateId }) => templateId!);
    left = ids.flatMap((templateId, i) => {
      const instances = instancesOf(built[i]!).map((instance) => {
        const { top, builtFrom, differences } = upgradeOf(instance, versions[i]!);
        return { ...instance, assetId: top.assetId, rootId: top.id, builtFrom, differences };
      });
      const isMore = take(templateId, instances) && built[i]!.length > 0 && !built[i]!.some(({ isLast }) => isLast);
      return isMore ? [{ templateId, after: instances.at(-1)!.id }] : [];
    });
  }
}

/**
 * One page of the instances of each template in id order, compared with its newest version. An element is BAD_USER_INPUT naming `after` if
 * that is not an instance of its template. Throws BAD_USER_INPUT naming `first` if the pages are too large.
 */
export async function comparedInstances(
  db: TenantQueryable,
  templateIds: readonly string[],
  { first, after, isDifferent }: InstancePage,
): Promise<(ComparedInstance[] | Error)[]> {
  const known = after == null ? undefined : new Set((await builtComponents(db, templateIds, { ids: [after] })).map((c) => c.templateId!));
  const pages = new Map(templateIds.map((id) => [id, [] as ComparedInstance[]]));
  await compare(
    db,
    templateIds.filter((id) => !known || known.has(id)),
    { after, most: isDifferent ? undefined : first },
    (id, instances) => {
      const page = pages.get(id)!;
      page.push(...instances.filter(({ differences }) => !isDifferent || differences.length).slice(0, first - page.length));
      const size = [...pages.values()].flat().reduce((sum, { components }) => sum + components.length, 0);
      if (size > maxComponents)
        throw badInput({ first: `takes more than ${maxComponents} components in all; take fewer instances at a time` });
      return page.length < first;
    },
  );
  return templateIds.map((id) =>
    known && !known.has(id) ? badInput({ after: "is no instance of this template; use the id of one" }) : pages.get(id)!,
  );
}

export interface Drift {
  componentId: string;
  builtFrom: string;
  /** Names of the differing fields. */
  differences: string[];
}

/**
 * The components of each template that differ from its newest version, oldest first. Throws BAD_USER_INPUT naming drift for more than
 * 50,000.
 */
export async function drifts(db: TenantQueryable, templateIds: readonly string[]): Promise<Drift[][]> {
  const found = new Map(templateIds.map((id) => [id, [] as Drift[]]));
  let size = 0;
  await compare(db, templateIds, {}, (id, instances) => {
    const drift = instances.flatMap(driftOf);
    size += drift.length;
    if (size > maxComponents) throw badInput({ drift: `has more than ${maxComponents} components; read instances(isDifferent: true)` });
    found.get(id)!.push(...drift);
    return true;
  });
  return templateIds.map((id) => found.get(id)!.sort((a, b) => (a.componentId < b.componentId ? -1 : 1)));
}

function driftOf({ components, differences }: ComparedInstance): Drift[] {
  const versions = new Map(components.map(({ id, templateVersion }) => [id, templateVersion!]));
  return differences.flatMap(({ kind, componentId, fields }) => {
    if (!componentId) return [];
    const names = new Set(fields.map(({ field }) => field.replace(/\..*/s, "")));
    return [{ componentId, builtFrom: versions.get(componentId)!, differences: kind === "removed" ? ["removed"] : [...names] }];
  });
}
