import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import * as figures from "../../domain/reliability/figures.js";
import { Asset } from "../../schema/assets/asset.js";
import { badInput, notFound } from "../../schema/errors.js";
import { WorkOrder } from "../../schema/maintenance/work-order.js";
import { Downtime } from "../../schema/reliability/downtime.js";
import { EvidenceArgs, ReliabilityEvidence, WorstAssetsArgs } from "../../schema/reliability/evidence.js";
import {
  AssetReliability,
  DowntimeByCause,
  PeriodArgs,
  Reliability,
  ReliabilityArgs,
  ReliabilityMonth,
} from "../../schema/reliability/reliability.js";
import type { Context } from "../context.js";
import { listCost, price, priced } from "../cost.js";

interface Source extends figures.Period {
  scope: figures.Scope;
}

interface FoundEvidence {
  downtimeIds: string[];
  workOrderIds: string[];
}

/** The records of ids that are still there. */
const present = async <T>(records: Promise<unknown>[]): Promise<T[]> => (await Promise.all(records)).filter((one) => one) as T[];

@Resolver(() => Reliability)
export class ReliabilityResolver {
  @Query(() => Reliability, {
    complexity: priced(price.report),
    description:
      "How reliable assets were in a period: an asset, all of a type, at a site, or all. Deleted assets do not count. An unknown asset is NOT_FOUND.",
  })
  async reliability(
    @Args(() => ReliabilityArgs) { from, to, ...scope }: ReliabilityArgs,
    @Ctx() { loaders }: Context,
  ): Promise<Reliability> {
    const found = await loaders.load(figures.reliabilityOf, scope, { from, to });
    if (scope.assetId != null && !found.assets) throw notFound("Asset", { assetId: scope.assetId });
    return found;
  }

  @FieldResolver(() => [ReliabilityMonth], {
    complexity: listCost(12, price.groups),
    description: "The figures of each month of the period in UTC, oldest first. The first and the last may be parts of a month.",
  })
  trend(@Root() { scope, from, to }: Source, @Ctx() { loaders }: Context): Promise<ReliabilityMonth[]> {
    return loaders.load(figures.trendOf, scope, { from, to });
  }

  @FieldResolver(() => [DowntimeByCause], {
    complexity: listCost(6, price.groups),
    description: "What downtime goes to, the most first (Pareto). Causes for which nobody requires the assets are among them.",
  })
  causes(@Root() { scope, from, to }: Source, @Ctx() { loaders }: Context): Promise<DowntimeByCause[]> {
    return loaders.load(figures.causesOf, scope, { from, to });
  }

  @FieldResolver(() => [AssetReliability], {
    complexity: listCost(10, price.groups),
    description: "The assets that were down for longest, the worst first (Pareto). Those without downtime or failure are left out.",
  })
  worstAssets(
    @Root() { scope, from, to }: Source,
    @Args(() => WorstAssetsArgs) { first }: WorstAssetsArgs,
    @Ctx() { loaders }: Context,
  ): Promise<AssetReliability[]> {
    if (first < 1 || first > 100) throw badInput({ first: "must be from 1 to 100" });
    return loaders.load(figures.worstAssetsOf, scope, { from, to, first });
  }

  @FieldResolver(() => ReliabilityEvidence, {
    complexity: priced(price.groups),
    description: "What a figure was counted from.",
  })
  evidence(
    @Root() { scope, from, to }: Source,
    @Args(() => EvidenceArgs) { figure, first }: EvidenceArgs,
    @Ctx() { loaders }: Context,
  ): Promise<ReliabilityEvidence> {
    if (first < 1 || first > 1_000) throw badInput({ first: "must be from 1 to 1,000" });
    return loaders.load(figures.evidenceOf, scope, { from, to, figure, first }) as Promise<unknown> as Promise<ReliabilityEvidence>;
  }
}

@Resolver(() => ReliabilityEvidence)
export class EvidenceResolver {
  @FieldResolver(() => [Downtime], { complexity: listCost(50), description: "The downtimes, newest first." })
  downtimes(@Root() { downtimeIds }: FoundEvidence, @Ctx() { loaders }: Context): Promise<Downtime[]> {
    return present(downtimeIds.map((id) => loaders.record("Downtime", id)));
  }

  @FieldResolver(() => [WorkOrder], {
    complexity: listCost(50),
    description: "The work orders of these downtimes, newest first; of `PLANNED_WORK_SHARE` all that were counted.",
  })
  workOrders(@Root() { workOrderIds }: FoundEvidence, @Ctx() { loaders }: Context): Promise<WorkOrder[]> {
    return present(workOrderIds.map((id) => loaders.record("WorkOrder", id)));
  }
}

@Resolver(() => Asset)
export class AssetReliabilityResolver {
  @FieldResolver(() => Reliability, {
    complexity: priced(price.groups),
    description: "How reliable it was in a period.",
  })
  reliability(@Root() { id }: Asset, @Args(() => PeriodArgs) args: PeriodArgs, @Ctx() { loaders }: Context): Promise<Reliability> {
    return loaders.load(figures.reliabilityOf, { assetId: id }, args);
  }
}
