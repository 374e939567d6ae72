/**
 * What our statements rely on in a session, whatever the role or the database have by `alter … set`: how values are written and read (Prisma takes every
 * time for UTC), and what a transaction sees.
 */
export const transactionSettings = {
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  timezone: "UTC",
  standard_conforming_strings: "on",
  extra_float_digits: "1",
  bytea_output: "hex",
  array_nulls: "on",
  transform_null_equals: "off",
  // To compile a statement takes longer than to run one of ours: the first of a nested list took half a second.
  jit: "off",
};

/** Of transactions to come. */
const settings = { ...transactionSettings, default_transaction_isolation: "read committed" };

/** They come with the connection's first message, after options of the operator's own, and so cost no statement. */
export const startupOptions = (own = ""): string =>
  [own, ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)].filter(Boolean).join(" ");
