/** Examples in each command's --help: the arguments and their purpose. A test checks them against the commands' declarations. */
import type { Command } from "commander";

export const examples: Record<string, [line: string, what: string][]> = {
  init: [
    ["init", "the embedded database, settings in maintenance.env"],
    ["init --database-url postgresql://gateway@db/gateway --host 0.0.0.0", "PostgreSQL, with a key for secrets"],
  ],
  serve: [
    ["serve", "with settings from environment variables"],
    ["serve --settings maintenance.env", "with settings from a file"],
    ["serve --demo", "with the demo plant"],
  ],
  doctor: [
    ["doctor --settings maintenance.env", "before the first start, or when something is wrong"],
    ["doctor --json", "for a monitor: exits with 1 on a failure"],
  ],
  key: [
    ["key --tenant acme --role admin", "the first key of a tenant"],
    ["key --tenant acme --role technician --site North --read-all --name tablet", "changes at one site, reads everything"],
  ],
  demo: [["demo --tenant trial --scale 2", "800 assets in the tenant trial"]],
  import: [
    ["import assets assets.csv --tenant acme --dry-run", "a preview: nothing is stored"],
    ["import assets assets.csv --tenant acme", "imports the rows; exits with 2 if rows failed"],
    ["import parts parts.csv --tenant acme --errors failed.csv", "writes failed rows as CSV, to correct and import again"],
  ],
  export: [
    ["export assets --tenant acme", "as a CSV file that import accepts, on stdout"],
    ["export work-orders --tenant acme", "the history of work"],
    ["export changes --tenant acme", "who changed what"],
  ],
  notify: [
    ["notify alarms.jsonl --tenant acme", "raises one notification per line and prints its id"],
    ["notify - --tenant acme --json", "from standard input, with a JSON result per line"],
  ],
  ledger: [
    ["ledger verify", "all tenants; exits with 1 if one does not balance"],
    ["ledger verify --tenant acme --instants 100 --json", "one tenant, at 100 random instants"],
  ],
  changes: [
    ["changes --tenant acme", "the log from its beginning, as JSON lines"],
    ["changes --tenant acme --after TOKEN --follow", "changes after a token, then new ones as they happen"],
  ],
  migrate: [
    ["migrate status", "each migration, applied or missing"],
    ["migrate check", "exits with 1 if one is missing"],
    ["migrate apply", "before new processes start, with MIGRATE=check"],
  ],
  "tenant list": [["tenant list --json", "a line of JSON for each tenant"]],
  "tenant suspend": [["tenant suspend acme", "its keys and tokens are refused"]],
  "tenant resume": [["tenant resume acme", "they are accepted again"]],
  "tenant export": [["tenant export acme acme.tar.gz", "records and files, secrets included"]],
  "tenant import": [["tenant import acme.tar.gz --as acme-copy --suspended", "as a copy beside the original, not served yet"]],
  "tenant delete": [["tenant delete acme --confirm acme", "permanently"]],
  backup: [["backup monday.tar.gz", "a consistent snapshot of all tenants; exits with 2 if files are missing"]],
  restore: [["restore monday.tar.gz", "into an installation without tenants"]],
  move: [["move --to postgresql://gateway@db/gateway", "from the embedded database to PostgreSQL; the password from PGPASSWORD"]],
  purge: [
    ["purge --dry-run", "prints how many records would be deleted"],
    ["purge --json", "deletes them and prints the counts"],
  ],
  completion: [
    ["completion bash", "for .bashrc: source <(maintenance completion bash)"],
    ["completion fish", "for config.fish: maintenance completion fish | source"],
  ],
  migration: [["migration component_lubricant", "writes prisma/migrations/…_component_lubricant"]],
  "print-schema": [["print-schema", "writes src/schema/schema.graphql"]],
};

export function addExamples(program: Command, command = program, path: string[] = []): void {
  const own = examples[path.join(" ")] ?? [];
  const width = Math.max(0, ...own.map(([line]) => line.length));
  const lines = own.map(([line, what]) => `  ${program.name()} ${line.padEnd(width)}   ${what}`);
  if (lines.length) command.addHelpText("after", `\n${lines.length > 1 ? "Examples" : "Example"}:\n${lines.join("\n")}`);
  command.configureHelp({ showGlobalOptions: true });
  for (const one of command.commands) addExamples(program, one, [...path, one.name()]);
}
