import { Arg, Args, ArgsType, Authorized, Ctx, Field, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import * as requests from "../../../domain/maintenance/requests/work-requests.js";
import * as codes from "../../../domain/reliability/failure-codes.js";
import { summariesOf } from "../../../domain/search/asset-summaries.js";
import { AssetSummary } from "../../../schema/assets/asset-summary.js";
import { FailureCodeKind } from "../../../schema/maintenance/enums.js";
import {
  AcceptWorkRequestInput,
  ReportFaultInput,
  WorkRequest,
  WorkRequestProgress,
} from "../../../schema/maintenance/requests/work-request.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import { FailureCode, FailureCodeInput } from "../../../schema/reliability/failure-code.js";
import { RequiredText, Text } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";
import { fileWork, listCost } from "../../cost.js";
import { declareRoots } from "../../relations.js";
import { attachmentContext, sentFile } from "../../sent-files.js";

export const workRequestRoots = declareRoots({
  workRequest: one<IdArgs>("WorkRequest", {
    args: IdArgs,
    forRequesters: true,
    unknown: ({ id }) => requests.unknownRequest(id),
    description:
      "Returns a work request by id. Returns null with a NOT_FOUND error if the id is unknown. Requesters see only their own requests.",
  }),
  workRequests: pages("WorkRequest", {
    forRequesters: true,
    description: "Lists work requests, oldest first unless ordered otherwise. Requesters see only their own requests.",
  }),
});

@Resolver(() => WorkRequest)
export class WorkRequestResolver {
  @FieldResolver(() => AssetSummary, { nullable: true, description: "Name and place of the asset. Null while the asset is deleted." })
  assetSummary(@Root() { assetId }: WorkRequest, @Ctx() { data: { loaders } }: Context): Promise<AssetSummary | null> {
    return loaders.load(summariesOf, assetId);
  }

  @FieldResolver(() => WorkRequestProgress, {
    nullable: true,
    description: "Progress of the work order created from the request. Null unless accepted.",
  })
  progress(@Root() { workOrderId }: WorkRequest, @Ctx() { data: { loaders } }: Context): Promise<WorkRequestProgress | null> | null {
    return workOrderId ? loaders.load(requests.progressOf, workOrderId) : null;
  }

  @Authorized("technician", "requester")
  @Mutation(() => WorkRequest, { complexity: fileWork, description: "Reports a fault of an asset or a component, with optional photos." })
  reportFault(
    @Arg("input", () => ReportFaultInput, { description: "Observed fault." }) input: ReportFaultInput,
    @Ctx() context: Context,
  ): Promise<WorkRequest> {
    return requests.reportFaultWithPhotos(attachmentContext(context), input, (input.photos ?? []).map(sentFile));
  }

  @Authorized("technician")
  @Mutation(() => WorkRequest, { description: "Accepts a work request and creates a corrective work order from it." })
  acceptWorkRequest(
    @Arg("id", () => ID, { description: "Id of a work request that is OPEN." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("input", () => AcceptWorkRequestInput, { nullable: true, description: "Values of the work order. Default: those of the request." })
    input?: AcceptWorkRequestInput,
  ): Promise<WorkRequest> {
    return requests.acceptWorkRequest(db, actor, id, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkRequest, { description: "Declines a work request." })
  declineWorkRequest(
    @Arg("id", () => ID, { description: "Id of a work request that is OPEN." }) id: string,
    @Arg("reason", () => RequiredText, { description: "Reason, shown to the person who reported the fault." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WorkRequest> {
    return requests.declineWorkRequest(db, actor, id, reason);
  }

  @Authorized("technician", "requester")
  @Mutation(() => WorkRequest, { description: "Withdraws a work request reported by the caller." })
  withdrawWorkRequest(
    @Arg("id", () => ID, { description: "Id of the caller's own work request that is OPEN." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => Text, { nullable: true, description: "Reason, stored with the request." }) reason?: string,
  ): Promise<WorkRequest> {
    return requests.withdrawWorkRequest(db, actor, id, reason);
  }
}

@ArgsType()
class FailureCodeArgs {
  @Field(() => ID, {
    nullable: true,
    description: "Only codes for this asset: general ones, and those of classes that occur as words in its type.",
  })
  assetId?: string | null;

  @Field(() => String, { nullable: true, description: "Only codes of exactly this class." })
  equipmentClass?: string | null;

  @Field(() => FailureCodeKind, { nullable: true, description: "Only codes of this kind." })
  kind?: FailureCodeKind | null;

  @Field(() => Boolean, { nullable: true, description: "Only codes that can be recorded, or only those that cannot. Default: all." })
  isActive?: boolean | null;
}

/** Number of codes that ship with the service. */
const usualCodes = 150;

@Resolver(() => FailureCode)
export class FailureCodeResolver {
  @Query(() => [FailureCode], {
    complexity: listCost(usualCodes),
    description: "Failure codes by equipment class, both shipped and tenant-defined.",
  })
  failureCodes(@Args(() => FailureCodeArgs) args: FailureCodeArgs, @Ctx() { data: { db } }: Context): Promise<FailureCode[]> {
    return codes.failureCodes(db, args);
  }

  @Authorized("manager")
  @Mutation(() => FailureCode, { description: "Creates or replaces a failure code. Shipped codes can be changed, too." })
  setFailureCode(
    @Arg("input", () => FailureCodeInput, { description: "Complete failure code." }) input: FailureCodeInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<FailureCode> {
    return codes.setFailureCode(db, actor, input);
  }
}
