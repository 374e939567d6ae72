import { Arg, Args, ArgsType, Authorized, Ctx, Field, ID, Mutation, Query, Resolver } from "type-graphql";
import * as requests from "../../domain/maintenance/requests/work-requests.js";
import * as codes from "../../domain/reliability/failure-codes.js";
import { FailureCodeKind } from "../../schema/maintenance/enums.js";
import { FailureCode, FailureCodeInput } from "../../schema/maintenance/failure-code.js";
import { AcceptWorkRequestInput, ReportFaultInput, WorkRequest } from "../../schema/maintenance/work-request.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import { RequiredText, Text } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { fileWork, listCost } from "../cost.js";
import { declareRoots } from "../relations.js";
import { attachmentContext, sentFile } from "../sent-files.js";

export const workRequestRoots = declareRoots({
  workRequest: one<IdArgs>("WorkRequest", {
    args: IdArgs,
    forRequesters: true,
    unknown: ({ id }) => requests.unknownRequest(id),
    description: "Returns a work request by id. For an unknown id it returns null with a NOT_FOUND error. A requester sees its own alone.",
  }),
  workRequests: pages("WorkRequest", {
    forRequesters: true,
    description: "Lists work requests, oldest first unless ordered otherwise. A requester sees its own alone.",
  }),
});

@Resolver(() => WorkRequest)
export class WorkRequestResolver {
  @Authorized("technician", "requester")
  @Mutation(() => WorkRequest, { complexity: fileWork, description: "Reports a fault of an asset or a component, with photos of it." })
  reportFault(
    @Arg("input", () => ReportFaultInput, { description: "What was seen." }) input: ReportFaultInput,
    @Ctx() context: Context,
  ): Promise<WorkRequest> {
    return requests.reportFaultWithPhotos(attachmentContext(context), input, (input.photos ?? []).map(sentFile));
  }

  @Authorized("technician")
  @Mutation(() => WorkRequest, { description: "Accepts a work request: makes a corrective work order of it." })
  acceptWorkRequest(
    @Arg("id", () => ID, { description: "Id of a work request that is OPEN." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => AcceptWorkRequestInput, { nullable: true, description: "Default: as the request says." })
    input?: AcceptWorkRequestInput,
  ): Promise<WorkRequest> {
    return requests.acceptWorkRequest(db, actor, id, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkRequest, { description: "Declines a work request." })
  declineWorkRequest(
    @Arg("id", () => ID, { description: "Id of a work request that is OPEN." }) id: string,
    @Arg("reason", () => RequiredText, { description: "Why it will not be worked on. Whoever reported it reads it." }) reason: string,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkRequest> {
    return requests.declineWorkRequest(db, actor, id, reason);
  }

  @Authorized("technician", "requester")
  @Mutation(() => WorkRequest, { description: "Takes back a work request that the caller reported." })
  withdrawWorkRequest(
    @Arg("id", () => ID, { description: "Id of a work request of the caller's that is OPEN." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => Text, { nullable: true, description: "Kept with the request." }) reason?: string,
  ): Promise<WorkRequest> {
    return requests.withdrawWorkRequest(db, actor, id, reason);
  }
}

@ArgsType()
class FailureCodeArgs {
  @Field(() => ID, { nullable: true, description: "Only codes for this asset: of classes with their words in its type, and general ones." })
  assetId?: string | null;

  @Field(() => String, { nullable: true, description: "Only codes of exactly this class." })
  equipmentClass?: string | null;

  @Field(() => FailureCodeKind, { nullable: true, description: "Only codes of this list." })
  kind?: FailureCodeKind | null;

  @Field(() => Boolean, { nullable: true, description: "Only codes that failures are recorded with, or only the others. Default: all." })
  isActive?: boolean | null;
}

/** As many as ship. */
const usualCodes = 150;

@Resolver(() => FailureCode)
export class FailureCodeResolver {
  @Query(() => [FailureCode], {
    complexity: listCost(usualCodes),
    description: "The code lists of failures by class of equipment, shipped ones and the tenant's own.",
  })
  failureCodes(@Args(() => FailureCodeArgs) args: FailureCodeArgs, @Ctx() { db }: Context): Promise<FailureCode[]> {
    return codes.failureCodes(db, args);
  }

  @Authorized("manager")
  @Mutation(() => FailureCode, { description: "Makes a failure code, or changes one that is there, shipped ones included." })
  setFailureCode(
    @Arg("input", () => FailureCodeInput, { description: "The whole code." }) input: FailureCodeInput,
    @Ctx() { db, actor }: Context,
  ): Promise<FailureCode> {
    return codes.setFailureCode(db, actor, input);
  }
}
