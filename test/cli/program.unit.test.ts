/** Declarations of every command: help text, valid examples, and JSON output. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { examples } from "../../src/cli/examples.js";
import { program } from "../../src/cli/program.js";

interface Leaf {
  path: string;
  command: Command;
}

const leavesOf = (command: Command, path: string[] = []): Leaf[] =>
  command.commands.length ? command.commands.flatMap((one) => leavesOf(one, [...path, one.name()])) : [{ path: path.join(" "), command }];
const leaves = leavesOf(program);

/** Commands whose output is a file or a log. */
const withoutJson = ["serve", "completion", "migration", "print-schema", "export"];

it("is one program with these commands", () => {
  expect(program.name()).toBe("maintenance");
  const named = ["init", "serve", "doctor", "key", "import", "export", "ledger", "migrate", "changes", "notify", "backup", "tenant list"];
  expect(leaves.map(({ path }) => path)).toEqual(expect.arrayContaining(named));
});

it("has a JSON result in each command with a result", () => {
  const without = leaves.filter(({ command }) => !command.options.some(({ long }) => long === "--json")).map(({ path }) => path);
  expect(without.filter((path) => !withoutJson.includes(path))).toEqual([]);
});

describe.each(leaves)("$path", ({ path, command }) => {
  it("describes itself, with examples", () => {
    expect(command.description()).toMatch(/^[a-z].{10,}[^.]$/);
    for (const option of command.options) expect(option.description, option.flags).not.toBe("");
    expect(examples[path]?.length, "examples").toBeGreaterThan(0);
  });

  it.each(examples[path] ?? [])("%s", (line) => {
    const words = line.replace(/ --settings \S+/, "").split(" ");
    expect(words.slice(0, path.split(" ").length).join(" ")).toBe(path);
    const { operands, unknown } = command.parseOptions(words.slice(path.split(" ").length));
    expect(unknown).toEqual([]);
    expect(command.options.filter((option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined)).toEqual(
      [],
    );
    const needed = command.registeredArguments.filter(({ required }) => required).length;
    expect(operands.length).toBeGreaterThanOrEqual(needed);
    expect(operands.length).toBeLessThanOrEqual(command.registeredArguments.length);
  });
});

it("docs/commands.md lists every command except those for developers", () => {
  const [table] = /^\| command [\s\S]*?\n\n/m.exec(readFileSync(new URL("../../docs/commands.md", import.meta.url), "utf8"))!;
  const cells = [...table.matchAll(/^\| (.*?) \| /gm)].map(([, cell]) => cell!);
  const listed = (path: string) => {
    const [first, verb] = path.split(" ");
    return cells.some((cell) =>
      verb ? cell.includes(`\`${first} `) && new RegExp(`\`(${first} )?${verb}\\b`).test(cell) : new RegExp(`\`${first}\\b`).test(cell),
    );
  };
  const forUsers = leaves.filter(({ command }) => command.helpGroup() !== "For developers:");
  expect(forUsers.map(({ path }) => path).filter((path) => !listed(path))).toEqual([]);
  expect(listed("tenant rename")).toBe(false);
});

it("has no examples of unknown commands", () => {
  expect(Object.keys(examples).filter((path) => !leaves.some((leaf) => leaf.path === path))).toEqual([]);
});
