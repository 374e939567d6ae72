/**
 * Runs the root fields of a large query one after the other. Otherwise their records would be completed at once, which would keep the
 * process from its other requests, and would hold all their promises in memory.
 */
import type { GraphQLSchema } from "graphql";
import { currentActivity } from "../database/watch/activity.js";
import type { Context } from "./context.js";

/** The root fields of queries take turns in operations of the long and slow lanes. */
export function bindTurns(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getQueryType()!.getFields())) {
    const resolve = field.resolve!;
    field.resolve = (source, args, context: Context, info) => {
      const activity = currentActivity();
      if (!activity?.isYielding) return resolve(source, args, context, info);
      const turn = context.data.turn.then(() => resolve(source, args, context, info));
      // The next turn begins when the field's own statements, and those of the objects below, have completed.
      context.data.turn = turn.then(
        () => activity.idle(),
        () => {},
      );
      return turn;
    };
  }
}
