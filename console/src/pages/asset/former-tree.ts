/** The component tree of an asset as of an instant, compared with the present one. */
import type { Client, CombinedError } from "urql";
import { AllComponents, type AllComponentsQuery } from "../../generated/asset.js";

export type FormerNode = NonNullable<AllComponentsQuery["asset"]>["components"]["nodes"][number];

/** Difference of a former component from the present tree. */
export type Since = "changed" | "moved" | "gone";

export interface FormerTree {
  childrenOf: Map<string | null, FormerNode[]>;
  size: number;
  since: Map<string, Since>;
}

const pageSize = 500;

async function readAll(client: Client, id: string, at: string | null): Promise<{ nodes?: FormerNode[]; error?: CombinedError }> {
  const nodes: FormerNode[] = [];
  for (let after: string | null = null; ; ) {
    const { data, error } = await client
      .query(AllComponents, { id, at, first: pageSize, after }, { requestPolicy: "network-only" })
      .toPromise();
    const page: NonNullable<AllComponentsQuery["asset"]>["components"] | undefined = data?.asset?.components;
    if (!page) return { error };
    // The cache may have joined the pages already.
    const known = new Set(nodes.map((node) => node.componentId));
    nodes.push(...page.nodes.filter((node) => !known.has(node.componentId)));
    if (!page.pageInfo.hasNextPage) return { nodes };
    after = page.pageInfo.endCursor;
  }
}

export async function readFormerTree(client: Client, id: string, at: string): Promise<{ tree?: FormerTree; error?: CombinedError }> {
  const [former, present] = await Promise.all([readAll(client, id, at), readAll(client, id, null)]);
  if (!former.nodes || !present.nodes) return { error: former.error ?? present.error };
  const now = new Map(present.nodes.map((node) => [node.componentId, node]));
  const childrenOf: FormerTree["childrenOf"] = new Map();
  const since: FormerTree["since"] = new Map();
  for (const node of former.nodes) {
    const parent = node.parentId ?? null;
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), node]);
    const today = now.get(node.componentId);
    if (!today) since.set(node.componentId, "gone");
    else if (today.parentId !== node.parentId) since.set(node.componentId, "moved");
    else if (today.version !== node.version) since.set(node.componentId, "changed");
  }
  return { tree: { childrenOf, size: former.nodes.length, since } };
}

export interface FormerLine {
  node: FormerNode;
  depth: number;
  children: number;
}

/** The lines of the open levels, from top to bottom. */
export function formerLines({ childrenOf }: FormerTree, open: ReadonlySet<string>): FormerLine[] {
  const lines: FormerLine[] = [];
  const add = (parent: string | null, depth: number) => {
    for (const node of childrenOf.get(parent) ?? []) {
      lines.push({ node, depth, children: childrenOf.get(node.componentId)?.length ?? 0 });
      if (open.has(node.componentId)) add(node.componentId, depth + 1);
    }
  };
  add(null, 0);
  return lines;
}
