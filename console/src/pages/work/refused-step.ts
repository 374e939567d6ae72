import { useRefused } from "../../session/session.js";

/** The last queued change of a step that the service rejected, with this field of the input. */
export function useRefusedStep(id: string, order: number, field: "value" | "exchange") {
  const changes = useRefused().filter(
    ({ query, variables }) =>
      query.includes("mutation UpdateStep") && variables?.id === id && variables.order === order && variables.input[field] != null,
  );
  return changes.at(-1);
}
