/** A page as the text before its first section, and its sections by heading. */
function sectionsOf(page) {
  const parts = page.split(/^(?=## )/m);
  const head = page.startsWith("## ") ? "" : parts.shift();
  return { head, sections: new Map(parts.map((section) => [section.slice(0, section.indexOf("\n")), section])) };
}

/**
 * Replaces the generated sections of a page, and its head if given. Other sections stay in place. A new section follows the one before it
 * in `generated`, or is added at the end.
 */
export function withSections(page, generated) {
  const before = sectionsOf(page);
  const after = sectionsOf(generated);
  const order = [...before.sections.keys()];
  let at = after.head ? 0 : order.length;
  for (const heading of after.sections.keys()) {
    if (!order.includes(heading)) order.splice(at, 0, heading);
    at = order.indexOf(heading) + 1;
  }
  const sections = order.map((heading) => after.sections.get(heading) ?? before.sections.get(heading));
  return `${[after.head || before.head, ...sections].map((part) => part.trim()).join("\n\n")}\n`;
}
