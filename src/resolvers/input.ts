import { UniqueViolation } from "../database/failures.js";
import { badInput } from "../schema/errors.js";

/** Throws BAD_USER_INPUT naming every field of `names`, behind `prefix`, that the input sets to null. */
export function refuseNull<T extends object>(input: T, names: (keyof T & string)[], prefix = ""): void {
  const bad = names.filter((name) => input[name] === null);
  if (bad.length) throw badInput(Object.fromEntries(bad.map((name) => [prefix + name, "must not be null"])));
}

/** Answers what `work` does; throws the given error instead where the named unique index refused it. */
export async function refuseDuplicate<T>(index: string, error: () => Error, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (failure) {
    throw failure instanceof UniqueViolation && failure.constraint === index ? error() : failure;
  }
}
