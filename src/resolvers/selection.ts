import {
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionSetNode,
} from "graphql";

/** Returns the names of the fields selected below the field of `info`, including those in fragments. Ignores @skip and @include. */
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

/** Whether a field is selected directly below the field of `info`, and neither skipped nor left out by a directive. */
export const isIncluded = ({ fieldNodes, variableValues }: GraphQLResolveInfo, name: string): boolean =>
  fieldNodes
    .flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
    .some(
      (node) =>
        node.kind === "Field" &&
        node.name.value === name &&
        getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if !== false &&
        getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if !== true,
    );
