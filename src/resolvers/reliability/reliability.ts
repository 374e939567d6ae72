import type { GraphQLResolveInfo } from "graphql";
import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from "type-graphql";
import * as between from "../../domain/reliability/between-failures.js";
import type { EvidenceSource } from "../../domain/reliability/evidence.js";
import * as evidence from "../../domain/reliability/evidence.js";
import * as figures from "../../domain/reliability/figures.js";
import * as pareto from "../../domain/reliability/pareto.js";
import { Asset } from "../../schema/assets/asset.js";
import { badInput, notFound } from "../../schema/errors.js";
import { WorkOrder } from "../../schema/maintenance/work-orders/work-order.js";
import { PeriodArgs } from "../../schema/period.js";
import { BetweenFailures, FailureInterval, IntervalArgs } from "../../schema/reliability/between-failures.js";
import { Downtime } from "../../schema/reliability/downtime.js";
import {
  EvidenceArgs,
  EvidencePageArgs,
  FailureCodesArgs,
  ReliabilityEvidence,
  WorstAssetsArgs,
} from "../../schema/reliability/evidence.js";
import {
  AssetReliability,
  DowntimeByCause,
  FailuresByCode,
  Reliability,
  ReliabilityArgs,
  ReliabilityMonth,
} from "../../schema/reliability/reliability.js";
import type { Context } from "../context.js";
import { listCost, price, priced } from "../cost.js";
import { selectedFields } from "../selection.js";

type Source = figures.Reliability;

/** A row of a Pareto analysis, with its source. */
type Row<T> = T & { source: Source };

/** Returns the records that still exist. */
const present = async <T>(records: Promise<unknown>[]): Promise<T[]> => (await Promise.all(records)).filter((one) => one) as T[];

/** Fields that do not need the figures. */
const beside = new Set([
  "__typename",
  "from",
  "to",
  "assets",
  "trend",
  "betweenFailures",
  "causes",
  "failureCodes",
  "worstAssets",
  "evidence",
]);
const asksFigures = (info: GraphQLResolveInfo) => [...selectedFields(info)].some((name) => !beside.has(name));

const evidenceFields = ["downtimes", "downtimeCount", "workOrders", "workOrderCount"] as const;

/** Returns the evidence of the source or of a row. Throws BAD_USER_INPUT naming first. */
function evidenceOf(
  { data: { loaders } }: Context,
  info: GraphQLResolveInfo,
  { scope, from, to }: Source,
  source: EvidenceSource,
  { first, downtimesAfter, workOrdersAfter }: EvidencePageArgs,
  row?: string | null,
): Promise<ReliabilityEvidence> {
  if (first < 1 || first > 1_000) throw badInput({ first: "must be from 1 to 1,000" });
  const selected = selectedFields(info);
  const wanted = evidenceFields.filter((name) => selected.has(name));
  const args = { from, to, source, first, downtimesAfter, workOrdersAfter, wanted };
  return loaders.load(evidence.evidenceOf, { scope, row }, args) as Promise<unknown> as Promise<ReliabilityEvidence>;
}

@Resolver(() => Reliability)
export class ReliabilityResolver {
  @Query(() => Reliability, {
    complexity: priced(price.report),
    description:
      "Reliability of assets in a period: one asset, all assets of a type, at a site or in an area, or all. Excludes deleted assets. Fails with NOT_FOUND for an unknown asset.",
  })
  async reliability(
    @Args(() => ReliabilityArgs) { from, to, ...scope }: ReliabilityArgs,
    @Ctx() { data: { loaders } }: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Reliability> {
    const found = await loaders.load(figures.reliabilityOf, scope, { from, to, figures: asksFigures(info) });
    if (scope.assetId != null && !found.assets) throw notFound("Asset", { assetId: scope.assetId });
    return found;
  }

  @FieldResolver(() => [ReliabilityMonth], {
    complexity: listCost(12, price.groups),
    description:
      "Figures for each month of the period in UTC, oldest first. The first and last month may be partial. Months with neither observed time nor finished work are omitted.",
  })
  trend(@Root() { scope, from, to }: Source, @Ctx() { data: { loaders } }: Context): Promise<ReliabilityMonth[]> {
    return loaders.load(figures.trendOf, scope, { from, to });
  }

  @FieldResolver(() => BetweenFailures, {
    complexity: priced(price.groups),
    description: "Distribution of the operating times between failures of the same asset.",
  })
  async betweenFailures(@Root() source: Source, @Ctx() { data: { loaders } }: Context): Promise<BetweenFailures> {
    const { scope, from, to } = source;
    return { ...(await loaders.load(between.betweenFailuresOf, scope, { from, to })), source } as BetweenFailures;
  }

  @FieldResolver(() => [DowntimeByCause], {
    complexity: listCost(6, price.groups),
    description: "Downtime by cause, largest first (Pareto). Includes causes for which the assets were not required.",
  })
  async causes(@Root() source: Source, @Ctx() { data: { loaders } }: Context): Promise<DowntimeByCause[]> {
    const { scope, from, to } = source;
    return (await loaders.load(pareto.causesOf, scope, { from, to })).map((row) => ({ ...row, source }));
  }

  @FieldResolver(() => [FailuresByCode], {
    complexity: listCost(20, price.groups),
    description: "Failures by the codes of their corrective work orders, most hours first (Pareto).",
  })
  async failureCodes(
    @Root() source: Source,
    @Args(() => FailureCodesArgs) { kind }: FailureCodesArgs,
    @Ctx() { data: { loaders } }: Context,
  ): Promise<FailuresByCode[]> {
    const { scope, from, to } = source;
    return (await loaders.load(pareto.failuresByCode, scope, { from, to, kind })).map((row) => ({ ...row, source, kind }));
  }

  @FieldResolver(() => [AssetReliability], {
    complexity: listCost(10, price.groups),
    description: "Assets with the longest downtime, worst first (Pareto). Assets without downtime or failure are omitted.",
  })
  worstAssets(
    @Root() { scope, from, to }: Source,
    @Args(() => WorstAssetsArgs) { first }: WorstAssetsArgs,
    @Ctx() { data: { loaders } }: Context,
  ): Promise<AssetReliability[]> {
    if (first < 1 || first > 100) throw badInput({ first: "must be from 1 to 100" });
    return loaders.load(pareto.worstAssetsOf, scope, { from, to, first });
  }

  @FieldResolver(() => ReliabilityEvidence, {
    complexity: priced(price.groups),
    description: "Records behind a figure.",
  })
  evidence(
    @Root() source: Source,
    @Args(() => EvidenceArgs) { figure, ...page }: EvidenceArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReliabilityEvidence> {
    return evidenceOf(context, info, source, { figure }, page);
  }
}

@Resolver(() => BetweenFailures)
export class BetweenFailuresResolver {
  @FieldResolver(() => [FailureInterval], { complexity: listCost(50, price.groups), description: "Intervals, shortest first." })
  intervals(
    @Root() { source }: Row<BetweenFailures>,
    @Args(() => IntervalArgs) { first, atLeast, lessThan }: IntervalArgs,
    @Ctx() { data: { loaders } }: Context,
  ): Promise<FailureInterval[]> {
    if (first < 1 || first > 1_000) throw badInput({ first: "must be from 1 to 1,000" });
    const { scope, from, to } = source;
    return loaders.load(between.gapsOf, scope, { from, to, first, atLeast, lessThan });
  }
}

@Resolver(() => DowntimeByCause)
export class DowntimeByCauseResolver {
  @FieldResolver(() => ReliabilityEvidence, { complexity: priced(price.groups), description: "Downtimes with this cause." })
  evidence(
    @Root() { source, cause }: Row<DowntimeByCause>,
    @Args(() => EvidencePageArgs) page: EvidencePageArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReliabilityEvidence> {
    return evidenceOf(context, info, source, { pareto: "downtime-cause" }, page, cause);
  }
}

@Resolver(() => FailuresByCode)
export class FailuresByCodeResolver {
  @FieldResolver(() => ReliabilityEvidence, {
    complexity: priced(price.groups),
    description: "Downtimes of these failures, and their work orders that recorded the code.",
  })
  evidence(
    @Root() { source, kind, code }: Row<FailuresByCode> & FailureCodesArgs,
    @Args(() => EvidencePageArgs) page: EvidencePageArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReliabilityEvidence> {
    return evidenceOf(context, info, source, { pareto: "failure-code", kind }, page, code);
  }
}

@Resolver(() => ReliabilityEvidence)
export class EvidenceResolver {
  @FieldResolver(() => [Downtime], { complexity: listCost(50), description: "Downtimes, newest first." })
  downtimes(@Root() { downtimes: ids }: evidence.Evidence, @Ctx() { data: { loaders } }: Context): Promise<Downtime[]> {
    return present(ids.map((id) => loaders.record("Downtime", id)));
  }

  @FieldResolver(() => [WorkOrder], {
    complexity: listCost(50),
    description: "Work orders of these downtimes, newest first. For `PLANNED_WORK_SHARE`, all work orders that were counted.",
  })
  workOrders(@Root() { workOrders: ids }: evidence.Evidence, @Ctx() { data: { loaders } }: Context): Promise<WorkOrder[]> {
    return present(ids.map((id) => loaders.record("WorkOrder", id)));
  }
}

@Resolver(() => Asset)
export class AssetReliabilityResolver {
  @FieldResolver(() => Reliability, {
    complexity: priced(price.groups),
    description: "Reliability of the asset in a period.",
  })
  reliability(
    @Root() { id }: Asset,
    @Args(() => PeriodArgs) args: PeriodArgs,
    @Ctx() { data: { loaders } }: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Reliability> {
    return loaders.load(figures.reliabilityOf, { assetId: id }, { ...args, figures: asksFigures(info) });
  }
}
