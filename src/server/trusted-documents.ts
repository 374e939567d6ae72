import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Config } from "../config.js";
import type { TrustedDocuments } from "../execution/operation/persisted.js";
import type { Pipeline } from "../execution/operation/pipeline.js";

const format = z.record(z.string(), z.string());

/** Reads the file of TRUSTED_DOCUMENTS. Throws an error of one line that names the first invalid document. */
export function readTrustedDocuments(
  { TRUSTED_DOCUMENTS: path, TRUSTED_DOCUMENTS_ONLY: only }: Config,
  pipeline: Pipeline,
): TrustedDocuments {
  if (!path) return { texts: new Map(), only };
  const refuse = (what: string) => new Error(`wrong configuration: TRUSTED_DOCUMENTS: ${path} ${what.replace(/\s+/g, " ")}`);
  const texts = new Map(Object.entries(readObject(path, refuse)));
  for (const [id, text] of texts) {
    const read = pipeline.parse(text);
    if (read.errors) throw refuse(`has the document ${id}, which is not valid: ${read.errors[0]!.message}`);
    if (!read.document.definitions.some(({ kind }) => kind === "OperationDefinition"))
      throw refuse(`has the document ${id}, which has no operation`);
  }
  return { texts, only };
}

function readObject(path: string, refuse: (what: string) => Error): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw refuse(`cannot be read: ${(error as Error).message}`);
  }
  const { success, data } = format.safeParse(value);
  if (!success) throw refuse("must be an object from ids to documents");
  return data;
}
