// The panel of examples. Each opens in a tab of its own.
import { pick, useGraphiQL, useGraphiQLActions } from "@graphiql/react";
import { EXAMPLES, ID_QUERY, idsOf, nameOf, variablesOf } from "./examples.js";
import { lastAuthorization } from "./keys.js";
import { hidePanel } from "./panels.js";
import { isPhone } from "./phone.jsx";
import { request } from "./requests.js";
import { part } from "./store.js";

/** Returns ids of the tenant's own records, so that the examples run as they are. */
export async function exampleIds() {
  const authorization = lastAuthorization();
  if (!authorization) return idsOf();
  return idsOf((await request({ query: ID_QUERY }, null, { Authorization: authorization })).data);
}

const ROLES = [...new Set(EXAMPLES.map(({ role }) => role))];

function Examples() {
  const { addTab, changeTab } = useGraphiQLActions();
  const tabs = useGraphiQL((state) => state.tabs);
  const { queryEditor, variableEditor } = useGraphiQL(pick("queryEditor", "variableEditor"));

  async function open(example) {
    const index = tabs.findIndex(({ title }) => title === nameOf(example));
    if (index >= 0) changeTab(index);
    else {
      const variables = variablesOf(example, await exampleIds());
      addTab();
      queryEditor.setValue(example.query);
      variableEditor.setValue(variables);
    }
    part.set("query");
    if (isPhone()) hidePanel(examplesPlugin.title);
  }

  return (
    <section className="guide" aria-label="Examples">
      <div className="graphiql-doc-explorer-title">Examples</div>
      {ROLES.map((role) => (
        <div key={role}>
          <h3>{role}</h3>
          <ul className="examples">
            {EXAMPLES.filter((example) => example.role === role).map((example) => (
              <li key={example.task}>
                <button type="button" className="link" onClick={() => open(example)}>
                  {example.task}
                </button>
                <small>
                  {/^(?:query|mutation|subscription)/m.exec(example.query)[0]} {nameOf(example)}
                </small>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

const ExamplesIcon = () => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M4 5h3M4 12h3M4 19h3M11 5h9M11 12h9M11 19h9" />
  </svg>
);

export const examplesPlugin = { title: "Examples", icon: ExamplesIcon, content: Examples };
