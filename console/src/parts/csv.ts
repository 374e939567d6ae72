/** Saves a table as CSV. Texts that a spreadsheet would run as a formula are escaped. */
type Cell = string | number | null | undefined;

const cell = (value: Cell): string => {
  if (value == null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export function saveCsv(name: string, rows: Cell[][]): void {
  saveText(name, `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`);
}

/** Saves a text that is already CSV. */
export function saveText(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`\uFEFF${text}`], { type: "text/csv" }));
  link.download = `${name}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
