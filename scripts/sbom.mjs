// Prints the delivered packages as CycloneDX, or with --licences as a list by licence.
import { execFileSync } from "node:child_process";
import { delivered } from "./packages-of.mjs";
import { root } from "./stale.mjs";

const bundledMark = { name: "maintenance-gateway:bundled", value: "true" };
const developmentMark = "cdx:npm:package:development";

const npmSbom = (...options) => {
  const text = execFileSync("npm", ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", ...options], {
    cwd: root,
    maxBuffer: 2 ** 27,
  });
  return JSON.parse(text.toString());
};

/** npm's list of production dependencies, plus the packages bundled into dist. */
function sbom() {
  const production = npmSbom("--omit=dev");
  const ids = new Set(production.components.map((component) => component["bom-ref"]));
  const isBundled = new Set(delivered().flatMap(({ name, version, bundled }) => (bundled ? `${name}@${version}` : [])));
  const all = npmSbom();
  const bundled = all.components
    .filter((component) => isBundled.has(component["bom-ref"]) && !ids.has(component["bom-ref"]))
    .map((component) => ({
      ...component,
      properties: [...component.properties.filter(({ name }) => name !== developmentMark), bundledMark],
    }));
  for (const component of bundled) ids.add(component["bom-ref"]);
  const dependencies = all.dependencies
    .filter(({ ref }) => ids.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((id) => ids.has(id)) }));
  const { metadata } = production;
  // npm names the component after its folder.
  const component = { ...metadata.component, name: metadata.component["bom-ref"].replace(/@[^@]*$/, "") };
  const [self] = production.dependencies.filter(({ ref }) => ref === component["bom-ref"]);
  const components = [...production.components, ...bundled];
  return { ...production, metadata: { ...metadata, component }, components, dependencies: [self, ...dependencies] };
}

function licences() {
  const byLicence = new Map();
  for (const { licence, name, version } of delivered())
    byLicence.set(licence || "unknown", [...(byLicence.get(licence || "unknown") ?? []), { name, version }]);
  const section = ([licence, packages]) =>
    [`${licence} (${packages.length})`, ...packages.map(({ name, version }) => `  ${name} ${version}`)].join("\n");
  return [...byLicence]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(section)
    .join("\n");
}

console.log(process.argv.includes("--licences") ? licences() : JSON.stringify(sbom(), null, 2));
