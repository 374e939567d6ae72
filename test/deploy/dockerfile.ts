/** The stages of a Dockerfile, with the properties that tests need. */
import { DockerfileParser, type ModifiableInstruction, type PropertyInstruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";

interface Step {
  keyword: string;
  /** Words of the instruction, without flags. */
  words: string[];
  flags: Record<string, string>;
  /** Command in the JSON form. */
  command?: string[];
  /** Variables of an ENV instruction. */
  environment?: Record<string, string>;
  /** The text after the keyword, such as RUN. */
  text: string;
}

interface Stage {
  image: string;
  name: string;
  steps: Step[];
}

export function instructions(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword();
    const words = instruction.getArguments().map((argument) => argument.getValue());
    if (keyword === "FROM") {
      stages.push({ image: words[0]!, name: words[2] ?? "", steps: [] });
      continue;
    }
    const flags = Object.fromEntries(
      ((instruction as ModifiableInstruction).getFlags?.() ?? []).map((flag) => [flag.getName(), flag.getValue() ?? ""]),
    );
    const content = instruction.getArgumentsContent() ?? "";
    const [json] = /^(RUN|COPY)$/.test(keyword) ? [] : (/\[".*"\]$/.exec(content) ?? []);
    const properties = keyword === "ENV" ? (instruction as PropertyInstruction).getProperties() : [];
    stages.at(-1)!.steps.push({
      keyword,
      words: words.filter((word) => !word.startsWith("--")),
      flags,
      text: content,
      ...(json && { command: JSON.parse(json) as string[] }),
      ...(properties.length && { environment: Object.fromEntries(properties.map((one) => [one.getName(), one.getValue() ?? ""])) }),
    });
  }
  return stages;
}

/** Problems of the file, one line each. */
export const mistakes = (text: string): string[] => validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`);
