/**
 * Session settings that statements rely on, overriding `alter … set` of the role or the database. They define how values are written and
 * read (Prisma takes every time for UTC), and transaction isolation.
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
  // JIT compilation takes longer than running the statements: it added half a second to the first nested list.
  jit: "off",
};

/** For subsequent transactions. */
const settings = { ...transactionSettings, default_transaction_isolation: "read committed" };

/** Sent with the connection's first message, after the operator's own options, so they need no statement. */
export const startupOptions = (own = ""): string =>
  [own, ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)].filter(Boolean).join(" ");
