// The docs panel. Starts with a guide and a picture of the types instead of GraphiQL's list.
import { DOC_EXPLORER_PLUGIN, DocExplorer, Search, TypeLink, useDocExplorer, useDocExplorerActions } from "@graphiql/plugin-doc-explorer";
import { DocsFilledIcon, DocsIcon, MarkdownContent, useGraphiQL } from "@graphiql/react";
import { useState } from "react";
import { showPanel } from "./panels.js";

// scripts/build-explorer.mjs defines TYPE_MAP and GUIDE, the schema's description.
const [SUMMARY, ...RULES] = GUIDE.split("\n\n");

function TypePicture() {
  const schema = useGraphiQL((state) => state.schema);
  const { push } = useDocExplorerActions();
  const [lit, setLit] = useState();
  const { width, height, box, types, relations } = TYPE_MAP;
  const open = (name) => schema && push({ name, def: schema.getType(name) });
  const isLit = ({ ends }) => ends.includes(lit);
  return (
    <svg className="type-picture" viewBox={`0 0 ${width} ${height}`} aria-label="The main record types and their relations">
      {relations.map((relation) => (
        <path key={relation.d} d={relation.d} className={isLit(relation) ? "lit" : undefined} />
      ))}
      {types.map(({ name, x, y }) => (
        // biome-ignore lint/a11y/useSemanticElements: SVG has no button.
        <g
          key={name}
          role="button"
          tabIndex={0}
          aria-label={`Docs of ${name}`}
          onClick={() => open(name)}
          onKeyDown={({ key }) => key === "Enter" && open(name)}
          onPointerEnter={() => setLit(name)}
          onPointerLeave={() => setLit()}
          onFocus={() => setLit(name)}
          onBlur={() => setLit()}
        >
          <title>
            {relations
              .filter(({ ends }) => ends.includes(name))
              .flatMap(({ fields }) => fields)
              .join("\n")}
          </title>
          <rect x={x - box.width / 2} y={y - box.height / 2} width={box.width} height={box.height} rx="6" />
          <text x={x} y={y}>
            {name}
          </text>
        </g>
      ))}
    </svg>
  );
}

function Types() {
  const schema = useGraphiQL((state) => state.schema);
  if (!schema) return <p>The types appear here once a valid key stands in “Headers”.</p>;
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const others = Object.values(schema.getTypeMap()).filter((type) => !roots.includes(type) && !type.name.startsWith("__"));
  return (
    <>
      <p>
        {roots.map((type) => (
          <span key={type.name} className="root-type">
            <TypeLink type={type} />
          </span>
        ))}
      </p>
      <details>
        <summary>All {others.length} other types</summary>
        {others.map((type) => (
          <div key={type.name}>
            <TypeLink type={type} />
          </div>
        ))}
      </details>
    </>
  );
}

function Guide() {
  return (
    <section className="graphiql-doc-explorer guide" aria-label="Documentation Explorer">
      <div className="graphiql-doc-explorer-header">
        <div className="graphiql-doc-explorer-title">The graph</div>
        <Search />
      </div>
      <MarkdownContent type="description">{SUMMARY}</MarkdownContent>
      <h3>Where to go</h3>
      <ul>
        <li>
          <button type="button" className="link" onClick={() => showPanel("Examples")}>
            Examples
          </button>{" "}
          by role and task, ready to run
        </li>
        <li>
          <a href="/schema.graphql">/schema.graphql</a>, <a href="/schema.json">/schema.json</a>: the schema, for code generators
        </li>
        <li>
          <a href="/openapi.json">/openapi.json</a>: the REST paths
        </li>
      </ul>
      <h3>Everything you can ask for</h3>
      <Types />
      <h3>The records</h3>
      <p>Choose one for its docs. Its fields lead along the lines.</p>
      <TypePicture />
      <h3>Rules that hold everywhere</h3>
      <MarkdownContent type="description">{RULES.join("\n\n")}</MarkdownContent>
    </section>
  );
}

export const docsPlugin = {
  title: DOC_EXPLORER_PLUGIN.title,
  icon: () => (useGraphiQL((state) => state.visiblePlugin) === docsPlugin ? <DocsFilledIcon /> : <DocsIcon />),
  content: () => (useDocExplorer().length === 1 ? <Guide /> : <DocExplorer />),
};
