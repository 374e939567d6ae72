import type { FragmentDefinitionNode, GraphQLResolveInfo, SelectionSetNode } from "graphql";

/** Names of the fields a query selects on what `info`'s field returns, through fragments; conditions are not looked at. */
export function selectedFields(info: GraphQLResolveInfo): Set<string> {
  const names = new Set<string>();
  const visit = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === "Field") names.add(selection.name.value);
      else if (selection.kind === "InlineFragment") visit(selection.selectionSet);
      else visit((info.fragments[selection.name.value] as FragmentDefinitionNode | undefined)?.selectionSet);
    }
  };
  for (const node of info.fieldNodes) visit(node.selectionSet);
  return names;
}
