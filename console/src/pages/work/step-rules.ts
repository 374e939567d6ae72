/** Rules of the service for steps, so that the page offers only what the service accepts, also without a connection. */

interface Step {
  order: number;
  kind: string;
  status: string;
  required: boolean;
}

export const isGate = ({ kind }: Pick<Step, "kind">): boolean => kind === "ISOLATE" || kind === "VERIFY";
const isUnfinished = ({ status }: Step): boolean => status !== "COMPLETED" && status !== "SKIPPED";

/** The unfinished step that isolates or verifies before this one. The service accepts no change before it is done. */
export const gateBefore = <S extends Step>(steps: readonly S[], { order }: Step): S | undefined =>
  steps.find((one) => one.order < order && isGate(one) && isUnfinished(one));

/** Steps that are done or skipped before the work can be completed. */
export const requiredSteps = <S extends Step>(steps: readonly S[]): S[] =>
  steps.filter((one) => isUnfinished(one) && (one.required || isGate(one)));

/** The unfinished step that ends an isolation. Work on an isolated asset can be neither completed nor cancelled. */
export function releaseOf<S extends Step>(steps: readonly S[]): S | undefined {
  const releases = steps.filter(({ kind }) => kind === "RELEASE");
  const isolated = steps.findLast(
    ({ kind, status, order }) =>
      kind === "ISOLATE" && status === "COMPLETED" && !releases.some((one) => one.status === "COMPLETED" && one.order > order),
  );
  return isolated && releases.find(({ order }) => order > isolated.order);
}
