/** The stages of a Dockerfile with what the tests ask of their instructions. */
import { DockerfileParser, type ModifiableInstruction, type PropertyInstruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";

interface Step {
  keyword: string;
  /** Without flags. */
  words: string[];
  flags: Record<string, string>;
  /** Of the JSON form. */
  command?: string[];
  /** Of ENV. */
  environment?: Record<string, string>;
  /** Everything behind the keyword, as of RUN. */
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

/** What is wrong with it, a line each. */
export const mistakes = (text: string): string[] => validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`);
