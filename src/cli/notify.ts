import { createInterface } from "node:readline";
import { Command } from "commander";
import type { GraphQLInputObjectType } from "graphql";
import { forTenant } from "../database/database.js";
import type { RaiseNotificationInput } from "../schema/alerts/notification-input.js";
import { badInput, ServiceError } from "../schema/errors.js";
import { commandLineActor, log, openInput, print, report, requireTenant, WrongUsage, withDatabase } from "./common.js";
import { currentRun } from "./run.js";

/** Prints the id of each notification. Exits with 2 if lines failed. */
export const notifyCommand = new Command("notify")
  .description("raise notifications from JSON lines, each with the fields of GraphQL raiseNotification and the documented enum values")
  .requiredOption("--tenant <name>", "the tenant")
  .argument("[file]", "the file; - for standard input")
  .option("--json [file]", "print the result as JSON lines; the older form --json FILE names the file instead")
  .action((file: string | undefined, { tenant, json }: { tenant: string; json?: string | true }) => {
    const source = file ?? (json === true ? undefined : json);
    if (source === undefined) throw new WrongUsage("name the file with the notifications, or - for standard input");
    return withDatabase(async (database) => {
      await requireTenant(database, tenant);
      const input = source === "-" ? currentRun().stdin : await openInput(source);
      const { raiseNotification } = await import("../domain/alerts/notifications.js");
      const db = forTenant(database, tenant);
      const read = await notificationReader();
      let [line, raised, failed] = [0, 0, 0];
      for await (const text of createInterface({ input, crlfDelay: Infinity })) {
        line++;
        if (!text.trim()) continue;
        try {
          const { id } = await raiseNotification(db, commandLineActor(tenant), read(text));
          print({ line, id }, id);
          raised++;
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          failed++;
          const problem = error.context.details ?? error.message;
          report({ line, error: problem }, [`line ${line}: ${JSON.stringify(problem)}`]);
        }
      }
      log(`raised ${raised}, failed ${failed}`);
      return failed ? 2 : 0;
    });
  });

/** Returns a parser of the mutation's input. It throws BAD_USER_INPUT naming every invalid field. */
async function notificationReader(): Promise<(line: string) => RaiseNotificationInput> {
  const { buildGatewaySchema } = await import("../resolvers/schema.js");
  const { plainMessage } = await import("../execution/field-errors.js");
  const { withEnumValues } = await import("../rest-compat/enum-names.js");
  const { checkValues } = await import("../execution/operation/text-check.js");
  const { coerceInputValue, GraphQLNonNull } = await import("graphql");
  const type = new GraphQLNonNull(withEnumValues(buildGatewaySchema()).getType("RaiseNotificationInput") as GraphQLInputObjectType);
  return (line) => {
    const value = parseLine(line);
    checkValues({ line: value });
    const details: Record<string, string> = {};
    const input = coerceInputValue(value, type, (path, _, error) => {
      const { field, message } = plainMessage(error.message);
      details[[...path, ...(field ? [field] : [])].join(".") || "line"] ??= message;
    });
    if (Object.keys(details).length) throw badInput(details);
    return input as RaiseNotificationInput;
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw badInput({ line: "must be valid JSON" });
  }
}
