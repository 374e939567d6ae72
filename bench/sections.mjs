/** A page as the text before its first section, and its sections by heading. */
function sectionsOf(page) {
  const parts = page.split(/^(?=## )/m);
  const head = page.startsWith("## ") ? "" : parts.shift();
  return { head, sections: new Map(parts.map((section) => [section.slice(0, section.indexOf("\n")), section])) };
}

/** Replaces the generated sections of a page, and its head if given. Other sections stay in place; new ones are added at the end. */
export function withSections(page, generated) {
  const before = sectionsOf(page);
  const after = sectionsOf(generated);
  const parts = [after.head || before.head, ...new Map([...before.sections, ...after.sections]).values()];
  return `${parts.map((part) => part.trim()).join("\n\n")}\n`;
}
