/** Limits of reports by link, which anyone with the link can send: for each link, and for each client. */
import { isIPv6 } from "node:net";
import type { Database } from "../../database/database.js";
import { sha256 } from "../../database/records/directory.js";
import { rateLimited } from "../../schema/errors.js";
import { accountsOf } from "./admission.js";
import { type Budget, type BudgetPolicy, Budgets } from "./budget.js";

const perHour = (reports: number): BudgetPolicy => ({ perSecond: reports / 3600, capacity: reports });

/** A client of IPv6 has a network of addresses. Stored as a digest. */
function clientOf(address: string): string {
  const network = isIPv6(address) && !address.startsWith("::ffff:") ? address.split(":").slice(0, 4).join(":") : address;
  return sha256(network).toString("base64url").slice(0, 16);
}

export class ReportLimits {
  private readonly links: Budgets;
  private readonly clients: Budgets;

  constructor(database: Database) {
    const accounts = accountsOf(database);
    this.links = new Budgets(perHour(120), accounts);
    this.clients = new Budgets(perHour(20), accounts);
  }

  /** Counts a report. Rejects with RATE_LIMITED. */
  async count({ tenantId, id }: { tenantId: string; id: string }, address: string): Promise<void> {
    const link = this.links.of({ tenantId, scope: `report link ${id}` })!;
    const client = this.clients.of({ tenantId, scope: `reports from ${clientOf(address)}` })!;
    await take(client);
    await take(link).catch((error) => {
      client.give(1);
      throw error;
    });
  }
}

async function take(budget: Budget): Promise<void> {
  while (!budget.take(1)) if (!(await budget.ask(1))) throw rateLimited(budget.secondsUntil(1), "Too many reports");
}
