import { DocExplorerStore } from "@graphiql/plugin-doc-explorer";
import { HISTORY_PLUGIN } from "@graphiql/plugin-history";
import { pick, useGraphiQL } from "@graphiql/react";
import { GraphiQL } from "graphiql";
import { useEffect } from "react";
import { createRoot } from "react-dom/client";
import { docsPlugin } from "./docs.jsx";
import { firstTabs, variablesOf } from "./examples.js";
import { exampleIds, examplesPlugin } from "./examples-panel.jsx";
import { Files } from "./files.jsx";
import { demoKey, firstKey, lastAuthorization, PLACEHOLDER, remember } from "./keys.js";
import { PhoneBar } from "./phone.jsx";
import { request } from "./requests.js";
import { status } from "./store.js";
import "graphiql/style.css";
import "./style.css";

// GraphiQL's own worker setups support only Vite, webpack and esm.sh. scripts/build-explorer.mjs defines WORKER_FILES.
globalThis.MonacoEnvironment = {
  getWorker: (_id, label) => new Worker(WORKER_FILES[label] ?? WORKER_FILES.editor),
};

const json = (value) => JSON.stringify(value, null, 2);

async function fetcher(params, options) {
  const { Authorization: entered, ...headers } = options?.headers ?? {};
  const isIntrospection = params.operationName === "IntrospectionQuery";
  remember(entered);
  if (!isIntrospection) status.set("");

  // Every tab has its own headers, and introspection starts before they exist. Tabs without a key use the last one entered.
  const send = () => {
    const authorization = entered === PLACEHOLDER || (isIntrospection && !entered) ? lastAuthorization() : entered;
    return request(params, options?.documentAST, authorization ? { ...headers, Authorization: authorization } : headers);
  };

  const hadKey = Boolean(lastAuthorization());
  const response = await send();
  // Introspection may fail without a key. Retries when the first key is entered.
  return isIntrospection && !hadKey && !response.data ? firstKey.then(send) : response;
}

const persistsHeaders = () => localStorage.getItem("graphiql:shouldPersistHeaders") === "true";
const placeholderHeaders = json({ Authorization: PLACEHOLDER });

// GraphiQL's history stores headers, including the key, even if "Persist headers" is off. Replaces them with the placeholder in that case.
const storage = {
  getItem: (name) => localStorage.getItem(name),
  setItem(name, value) {
    const isHistory = name === "graphiql:queries" || name === "graphiql:favorites";
    const withoutKeys = () => JSON.stringify(JSON.parse(value), (key, part) => (key === "headers" ? placeholderHeaders : part));
    localStorage.setItem(name, isHistory && !persistsHeaders() ? withoutKeys() : value);
  },
  removeItem: (name) => localStorage.removeItem(name),
  clear: () => localStorage.clear(),
  get length() {
    return localStorage.length;
  },
};

/** Returns the tabs of the first visit. After that, GraphiQL restores the user's tabs from localStorage. */
async function defaultTabs() {
  if (localStorage.getItem("graphiql:tabState")) return undefined;
  const ids = await exampleIds();
  return firstTabs().map((example) => ({ query: example.query, variables: variablesOf(example, ids) }));
}

/** Wraps long lines instead of cutting them off. */
function EditorOptions() {
  const editors = useGraphiQL(pick("queryEditor", "variableEditor", "headerEditor", "responseEditor"));
  useEffect(() => {
    for (const editor of Object.values(editors)) editor?.updateOptions({ wordWrap: "on", fontSize: 14 });
  }, [editors]);
}

const Status = () => status.use();

createRoot(document.getElementById("explorer")).render(
  <GraphiQL
    fetcher={fetcher}
    plugins={[examplesPlugin, HISTORY_PLUGIN]}
    referencePlugin={docsPlugin}
    defaultTabs={await defaultTabs()}
    defaultHeaders={demoKey ? json({ Authorization: `Bearer ${demoKey}` }) : placeholderHeaders}
    defaultEditorToolsVisibility={demoKey ? "variables" : "headers"}
    isHeadersEditorEnabled
    // Keys are not stored in localStorage unless the user enables it in GraphiQL's settings.
    shouldPersistHeaders={persistsHeaders()}
    showPersistHeadersSettings
    storage={storage}
    customScalarSchemas={{ Upload: { type: "null", description: "A file, chosen below the query" } }}
    inputValueDeprecation
    schemaDescription
  >
    <GraphiQL.Logo>Maintenance gateway</GraphiQL.Logo>
    <GraphiQL.Footer>
      <output className="status">
        <Status />
      </output>
    </GraphiQL.Footer>
    <DocExplorerStore>{null}</DocExplorerStore>
    <EditorOptions />
    <Files />
    <PhoneBar />
  </GraphiQL>,
);
