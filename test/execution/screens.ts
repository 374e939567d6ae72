/** The operations of docs/graphql.md, "Questions that screens ask". */
import { readFileSync } from "node:fs";
import { Kind, type OperationDefinitionNode, parse } from "graphql";

export const chapter = /## Questions that screens ask\n(.*?)\n## /s.exec(
  readFileSync(new URL("../../docs/graphql.md", import.meta.url), "utf8"),
)![1]!;

export const operations = parse(/```graphql\n(.*?)```/s.exec(chapter)![1]!).definitions.filter(
  (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
);
