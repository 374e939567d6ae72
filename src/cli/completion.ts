import { Argument, Command, type Option } from "commander";
import { printLine } from "./common.js";
import { type CommandWords, scripts } from "./completion-scripts.js";

/** Options and arguments whose value is a file or a folder. */
const namesFile = (name: string) => /file|folder|dir/.test(name);

/** Completions after each command, from the commands' declarations. The name of a command includes its parents. */
export function wordsOf(root: Command, path = ""): CommandWords[] {
  const commands = root.createHelp().visibleCommands(root);
  const global = path ? topOf(root).options : [];
  const options = [...root.createHelp().visibleOptions(root), ...global].filter(({ long }) => long);
  const choicesOf = ({ argChoices }: { argChoices?: string[] | undefined }) => argChoices ?? [];
  const own: CommandWords = {
    path,
    commands: commands.map((command) => ({ name: command.name(), description: firstWords(command.description()) })),
    values: root.registeredArguments.flatMap(choicesOf),
    takesFiles: root.registeredArguments.some((argument) => namesFile(argument.name())),
    options: options.map((option: Option) => ({
      name: option.long!,
      description: firstWords(option.description),
      takesValue: option.required || option.optional,
      values: choicesOf(option),
      takesFiles: namesFile(option.flags),
    })),
  };
  return [own, ...commands.flatMap((command) => wordsOf(command, `${path} ${command.name()}`))];
}

const topOf = (command: Command): Command => (command.parent ? topOf(command.parent) : command);

/** The part of a long description before the first colon, semicolon or parenthesis. */
const firstWords = (text: string) => text.split(/[:;(]/)[0]!.trim();

export const completionCommand = new Command("completion")
  .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(scripts)))
  .description("print a script that completes commands, options and their values in a shell")
  .action((shell: keyof typeof scripts, _options: unknown, command: Command) => {
    const top = topOf(command);
    printLine(scripts[shell](top.name(), wordsOf(top)));
  });
