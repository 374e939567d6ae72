import { writeFileSync } from "node:fs";
import { Command } from "commander";

export const printSchemaCommand = new Command("print-schema")
  .description("for developers: write src/schema/schema.graphql")
  .action(async () => {
    const { printGatewaySchema } = await import("../resolvers/schema.js");
    writeFileSync("src/schema/schema.graphql", printGatewaySchema());
  });
