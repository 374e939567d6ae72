/** Secrets mounted as files. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readConfig, secretSettings } from "../../src/config.js";

const folder = mkdtempSync(join(tmpdir(), "secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const path = join(folder, `file-${text.length}`);
  writeFileSync(path, text);
  return path;
}

const values: Record<(typeof secretSettings)[number], string> = {
  DATABASE_URL: "postgresql://gateway:secret@host/database",
  DATABASE_MIGRATE_URL: "postgresql://owner:secret@host/database",
  DATABASE_DIRECT_URL: "postgresql://direct:secret@host/database",
  DATABASE_REPLICA_URL: "postgresql://gateway:secret@standby/database",
  METRICS_TOKEN: "0123456789abcdef",
  S3_ACCESS_KEY_ID: "an id of the bucket",
  S3_SECRET_ACCESS_KEY: "a secret of the bucket",
  SECRETS_KEY_PREVIOUS: `${randomBytes(32).toString("base64")},${randomBytes(32).toString("base64")}`,
  SMTP_URL: "smtps://user:secret@mail.example.com",
};
const served = { DATABASE_URL: values.DATABASE_URL };
const beside: Record<string, Record<string, string>> = {
  DATABASE_MIGRATE_URL: served,
  DATABASE_DIRECT_URL: served,
  DATABASE_REPLICA_URL: served,
  SMTP_URL: { MAIL_FROM: "gateway@example.com" },
};

test.each(secretSettings)("%s is read from its file, without the trailing line break", (name) => {
  const value = values[name];
  expect(readConfig({ ...beside[name], [`${name}_FILE`]: fileWith(`${value}\n`) })[name]).toBe(value);
  expect(readConfig({ [`${name}_FILE`]: "" })[name]).toBeUndefined();
  expect(() => readConfig({ [`${name}_FILE`]: "/none/file" })).toThrow(
    `wrong configuration: ${name}_FILE: cannot be read (ENOENT): /none/file`,
  );
  expect(() => readConfig({ [`${name}_FILE`]: fileWith(value), [name]: value })).toThrow(`${name}_FILE: must not be set beside ${name}`);
  expect(() => readConfig({ [`${name}_FILE`]: fileWith("\n") })).toThrow(`${name}_FILE: is empty: ${folder}`);
});

test("the content of a file is checked like the setting", () => {
  expect(() => readConfig({ DATABASE_URL_FILE: fileWith("mysql://host") })).toThrow("DATABASE_URL: must begin with postgresql://");
});

test("docs/settings.md names the file of each secret, and of no other setting", () => {
  const [row = ""] = /^\| `DATABASE_URL_FILE`.*$/m.exec(readFileSync(new URL("../../docs/settings.md", import.meta.url), "utf8")) ?? [];
  expect([...row.matchAll(/`(\w+)_FILE`/g)].map(([, name]) => name).sort()).toEqual([...secretSettings].sort());
});
