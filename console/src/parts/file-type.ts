const signatures: [type: string, pattern: RegExp][] = [
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
  ["application/pdf", /^%PDF-/],
];

/** Media type of a file by its first bytes. Undefined for other files, also texts. */
export function typeOf(start: Uint8Array): string | undefined {
  const text = String.fromCharCode(...start.slice(0, 16));
  return signatures.find(([, pattern]) => pattern.test(text))?.[0];
}
