import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import "graphiql/style.css";
import { createRoot } from "react-dom/client";

// GraphiQL's own worker setups support only Vite, webpack and esm.sh. scripts/build-explorer.mjs defines WORKER_FILES.
globalThis.MonacoEnvironment = {
  getWorker: (_id, label) => new Worker(WORKER_FILES[label] ?? WORKER_FILES.editor),
};

const PLACEHOLDER = "Bearer <API_KEY>";

const PLANT = `# The whole plant in one request: sites, areas, assets.
# Run it with the pink button or Ctrl+Enter.
# Your API key belongs in "Headers" below. The bar on
# the left opens the docs and re-fetches the schema.
query Plant {
  sites {
    name
    assetCount
    areas {
      name
      assetCount
      # A long list is a Relay connection:
      # ask for the first n, read its nodes.
      assets(first: 5) {
        nodes { id name type status }
      }
    }
  }
}
`;

const ASSET_TREE = `# The component trees of three assets and their
# status history.
# A component also has parent, ancestors, asset and
# descendants(maxDepth: 3).
query AssetTree {
  assets(first: 3) {
    nodes {
      id
      name
      components(first: 10) {
        nodes {
          id
          name
          type
          level
          children(first: 10) {
            nodes { id name }
          }
        }
      }
      statusHistory { fromStatus toStatus changedAt }
    }
  }
}
`;

const FIND_ASSETS = `# All conditions go into "filter", and all must match.
# Next page: put the endCursor of this response into
# the variable "after" (open "Variables" below).
query FindAssets($after: String) {
  assets(
    first: 20
    after: $after
    # also: search, type, site, area, criticality
    filter: { status: MAINTENANCE }
    orderBy: { field: NAME, direction: ASC }
  ) {
    nodes { id name type status }
    pageInfo { hasNextPage endCursor }
    totalCount # counted only if selected
  }
}
`;

const WORK = `# Pending work orders with the parts they reserve, and the
# due dates of the next two weeks with their reasons.
query Work {
  workOrders(
    first: 10
    filter: { pending: true }
    orderBy: { field: SCHEDULED_DATE }
  ) {
    nodes {
      title
      status
      scheduledDate
      asset { name site }
      requiredParts { quantity status part { name stockLevel } }
    }
  }
  upcoming(days: 14) { dueDate reason procedure { name } }
}
`;

const MOVE_COMPONENT = `# Moves a component and its subtree.
# Values go into "Variables" below; AssetTree shows ids.
# newParentId null: it becomes a root of its asset.
mutation MoveComponent(
  $id: ID!
  $newParentId: ID
  $position: Int
) {
  moveComponent(
    id: $id
    newParentId: $newParentId
    position: $position
  ) {
    id
    level
    position
    parent { name }
  }
}
`;

const VIEWER = `# Whose key is in "Headers": tenant, role, and the sites
# it is limited to.
query Viewer {
  viewer { tenantId role keyName sites }
}
`;

const EXAMPLES = [
  { query: PLANT },
  { query: ASSET_TREE },
  { query: FIND_ASSETS, variables: json({ after: null }) },
  { query: WORK },
  { query: MOVE_COMPONENT, variables: json({ id: "<COMPONENT_ID>", newParentId: null, position: 0 }) },
  { query: VIEWER },
];

function json(value) {
  return JSON.stringify(value, null, 2);
}

async function readSettings() {
  const response = await fetch("/explorer/settings.json");
  return response.ok ? response.json() : { demoKey: null };
}

function storedAuthorization() {
  try {
    return JSON.parse(localStorage.getItem("graphiql:headers")).Authorization;
  } catch {
    return undefined; // Nothing stored, or invalid JSON that the user is typing.
  }
}

const { demoKey } = await readSettings();
const graphql = createGraphiQLFetcher({ url: "/graphql" });

let lastAuthorization;
let keyEntered;
const firstKey = new Promise((resolve) => {
  keyEntered = resolve;
});

function remember(authorization) {
  if (!authorization || authorization === PLACEHOLDER) return;
  lastAuthorization = authorization;
  keyEntered();
}

remember(storedAuthorization() ?? (demoKey ? `Bearer ${demoKey}` : undefined));

async function fetcher(params, options) {
  const { Authorization: entered, ...headers } = options?.headers ?? {};
  const isIntrospection = params.operationName === "IntrospectionQuery";
  remember(entered);

  // Every tab has its own headers, and introspection starts before they exist. Tabs without a key use the last one entered.
  const send = () => {
    const authorization = entered === PLACEHOLDER || (isIntrospection && !entered) ? lastAuthorization : entered;
    return graphql(params, { ...options, headers: authorization ? { ...headers, Authorization: authorization } : headers });
  };

  const hadKey = Boolean(lastAuthorization);
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

createRoot(document.getElementById("explorer")).render(
  <GraphiQL
    fetcher={fetcher}
    // Used on the first visit only; later GraphiQL restores the user's tabs from localStorage.
    defaultTabs={EXAMPLES}
    defaultHeaders={demoKey ? json({ Authorization: `Bearer ${demoKey}` }) : placeholderHeaders}
    defaultEditorToolsVisibility="headers"
    isHeadersEditorEnabled
    // Keys are not stored in localStorage unless the user enables it in GraphiQL's settings.
    shouldPersistHeaders={persistsHeaders()}
    showPersistHeadersSettings
    storage={storage}
    inputValueDeprecation
    schemaDescription
  >
    <GraphiQL.Logo>Maintenance gateway</GraphiQL.Logo>
  </GraphiQL>,
);
