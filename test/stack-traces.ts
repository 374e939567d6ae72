/** Set-up: stacks of errors that the service means to send are not mapped to sources, which took a tenth of the time of tests about refusals. */
import { GraphQLError } from "graphql";

const mapToSources = Error.prepareStackTrace;

Error.prepareStackTrace = (error, frames) =>
  error instanceof GraphQLError || !mapToSources ? `${error}\n    at ${frames.join("\n    at ")}` : mapToSources(error, frames);
