/** Shell completion scripts, generated from the commands' declarations. */

export interface CommandWords {
  /** Names of the command and its parents, each preceded by a space; empty for the program. */
  path: string;
  commands: { name: string; description: string }[];
  /** Values of the arguments. */
  values: string[];
  takesFiles: boolean;
  options: { name: string; description: string; takesValue: boolean; values: string[]; takesFiles: boolean }[];
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const joined = (words: string[]) => words.map(quoted).join(" ");

/** Patterns of `case`: a command follows the words of its parents. */
const patterns = (words: CommandWords[]) =>
  words
    .slice(1)
    .map(({ path }) => quoted(path))
    .join(" | ");

const withValues = (words: CommandWords[]) =>
  words.flatMap(({ path, options }) => options.filter(({ takesValue }) => takesValue).map((option) => ({ path, ...option })));

const bash = (name: string, words: CommandWords[]): string => `# bash completion of ${name}: source <(${name} completion bash)
_${name}() {
  local word at="" i current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$at $word" in
      ${patterns(words)}) at="$at $word" ;;
    esac
  done
  case "$at $previous" in
${withValues(words)
  .map(({ path, name: option, values, takesFiles }) => {
    const reply = values.length ? `compgen -W ${quoted(values.join(" "))}` : takesFiles ? "compgen -f" : undefined;
    return `    ${quoted(`${path} ${option}`)}) ${reply ? `COMPREPLY=($(${reply} -- "$current")); ` : ""}return ;;`;
  })
  .join("\n")}
  esac
  case "$at" in
${words
  .map(({ path, commands, values, options, takesFiles }) => {
    const first = [...commands.map((command) => command.name), ...values];
    const reply = `if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W ${quoted(options.map((option) => option.name).join(" "))} -- "$current")); else COMPREPLY=($(compgen -W ${quoted(first.join(" "))}${takesFiles ? " -f" : ""} -- "$current")); fi`;
    return `    ${quoted(path)}) ${reply} ;;`;
  })
  .join("\n")}
  esac
}
complete -F _${name} ${name}`;

const described = (all: { name: string; description: string }[]) =>
  joined(all.map(({ name, description }) => `${name.replaceAll(":", "\\:")}:${description}`));

const zsh = (name: string, words: CommandWords[]): string => `#compdef ${name}
# zsh completion of ${name}: source <(${name} completion zsh), or as a file _${name} in a folder of $fpath
_${name}() {
  local at="" i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${patterns(words)}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${withValues(words)
  .map(({ path, name: option, values, takesFiles }) => {
    const reply = values.length ? `compadd -- ${joined(values)}; ` : takesFiles ? "_files; " : "";
    return `    ${quoted(`${path} ${option}`)}) ${reply}return ;;`;
  })
  .join("\n")}
  esac
  case "$at" in
${words
  .map(({ path, commands, values, options, takesFiles }) => {
    const lines = [
      `if [[ "\${words[CURRENT]}" == -* ]]; then found=(${described(options)}); _describe option found; return; fi`,
      commands.length ? `found=(${described(commands)}); _describe command found` : "",
      values.length ? `compadd -- ${joined(values)}` : "",
      takesFiles ? "_files" : "",
    ];
    return `    ${quoted(path)})\n${lines
      .filter(Boolean)
      .map((line) => `      ${line}`)
      .join("\n")}\n      ;;`;
  })
  .join("\n")}
  esac
}
if [[ "\${funcstack[1]}" == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`;

const fish = (name: string, words: CommandWords[]): string => {
  const lines = words.flatMap(({ path, commands, values, options, takesFiles }) => {
    const here = `complete -c ${name} -n ${quoted(`__${name}_at "${path}"`)}`;
    return [
      ...commands.map((command) => `${here} -a ${quoted(command.name)} -d ${quoted(command.description)}`),
      ...(values.length ? [`${here} -a ${quoted(values.join(" "))}`] : []),
      ...(takesFiles ? [`${here} -F`] : []),
      ...options.map((option) => {
        const value = option.values.length ? ` -x -a ${quoted(option.values.join(" "))}` : option.takesFiles ? " -r -F" : " -x";
        return `${here} -l ${option.name.slice(2)}${option.takesValue ? value : ""} -d ${quoted(option.description)}`;
      }),
    ];
  });
  return `# fish completion of ${name}: ${name} completion fish | source
function __${name}_at
  set -l at ""
  set -l typed (commandline -opc)
  set -e typed[1]
  for word in $typed
    if contains -- "$at $word" ${joined(words.slice(1).map(({ path }) => path))}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c ${name} -f
${lines.join("\n")}`;
};

export const scripts = { bash, zsh, fish };
