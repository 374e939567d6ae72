/** Files among variables: https://github.com/jaydenseric/graphql-multipart-request-spec. */
export interface SeparateFiles {
  /** The variables, with null where a file was. */
  variables: unknown;
  found: { path: string; file: Blob }[];
}

export function separateFiles(given: unknown): SeparateFiles {
  const found: SeparateFiles["found"] = [];
  const separate = (value: unknown, path: string): unknown => {
    if (value instanceof Blob) {
      found.push({ path, file: value });
      return null;
    }
    if (Array.isArray(value)) return value.map((item, i) => separate(item, `${path}.${i}`));
    // Others, such as dates, know how to become JSON.
    if (value === null || typeof value !== "object" || "toJSON" in value) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, separate(item, `${path}.${name}`)]));
  };
  return { variables: separate(given, "variables"), found };
}

/** The browser writes the content type of a form, which names its boundary. */
export function bodyOf(query: string, { variables, found }: SeparateFiles): { body: BodyInit; contentType?: string } {
  const operation = JSON.stringify({ query, variables });
  if (!found.length) return { body: operation, contentType: "application/json" };
  const form = new FormData();
  form.append("operations", operation);
  form.append("map", JSON.stringify(Object.fromEntries(found.map(({ path }, i) => [i, [path]]))));
  found.forEach(({ file }, i) => form.append(String(i), file));
  return { body: form };
}
