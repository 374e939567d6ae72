/** A tenant's selections on records, which are validated when saved and read when a record changes. */
import { GraphQLError, Kind, parse, print } from "graphql";
import { type Context, makeContext, type Services } from "../../resolvers/context.js";
import { badInput } from "../../schema/errors.js";
import { retryAfterOf } from "../errors.js";
import type { OperationRequest, Pipeline } from "./pipeline.js";

/** `error` explains why the record is missing or incomplete. */
export interface SelectedRecord {
  record: unknown;
  error?: string;
}

export class Selections {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly services: Omit<Services, "checkSelection">,
    /** Base URL of links to files. */
    private readonly baseUrl: string,
  ) {}

  /** Throws BAD_USER_INPUT naming `selection` unless it selects from `Node`, within the limits of a query. */
  check = (selection: string): void => {
    try {
      this.request(selection, "");
    } catch (error) {
      throw badInput({ selection: error instanceof GraphQLError ? error.message : "is nested too deeply" });
    }
  };

  /** The current record; null if there is none. */
  async read(actor: Context["caller"]["actor"], recordId: string, selection: string): Promise<SelectedRecord> {
    try {
      const services = { ...this.services, checkSelection: this.check };
      const context = makeContext(services, { actor, requestId: "webhooks", source: "job", baseUrl: this.baseUrl });
      const { data, errors } = await this.pipeline.execute(this.request(selection, recordId), context);
      return { record: data?.node ?? null, ...(errors?.[0] && { error: errors[0].message }) };
    } catch (error) {
      if (error instanceof GraphQLError && retryAfterOf(error) === undefined) return { record: null, error: error.message };
      throw error;
    }
  }

  private request(selection: string, id: string): OperationRequest {
    const { definitions } = parse(`{ ${selection}\n}`);
    const [operation] = definitions;
    if (definitions.length !== 1 || operation?.kind !== Kind.OPERATION_DEFINITION || operation.selectionSet.selections.length === 0)
      throw new GraphQLError("must be one selection, such as `... on Asset { name }`");
    const query = `query ($id: ID!) { node(id: $id) ${print(operation.selectionSet)} }`;
    const read = this.pipeline.parse(query);
    if (read.errors) throw read.errors[0];
    const request = { query, document: read.document, variables: { id } };
    this.pipeline.check(request, "webhooks");
    return request;
  }
}
