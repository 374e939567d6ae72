// Examples by role and task. test/server/explorer.browser.test.ts validates and runs them on the demo plant.
// Lines of at most 51 characters are not wrapped beside the result in a window of 1280 px.

const inDays = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19).concat("Z");

/** Finds records of the tenant for the examples that need an id. */
export const ID_QUERY = `query ExampleIds {
  asset: assets(first: 1) { nodes { id } }
  component: components(first: 1) { nodes { id } }
  part: parts(first: 1) { nodes { id } }
  plannedOrder: workOrders(first: 1, filter: { status: [SCHEDULED] }) { nodes { id } }
  startedOrder: workOrders(first: 1, filter: { status: [IN_PROGRESS] }) { nodes { id } }
}`;

const PLACEHOLDERS = {
  asset: "<ASSET_ID>",
  component: "<COMPONENT_ID>",
  part: "<PART_ID>",
  plannedOrder: "<ID_OF_A_PLANNED_WORK_ORDER>",
  startedOrder: "<ID_OF_A_STARTED_WORK_ORDER>",
};

/** Returns the ids in the response to `ID_QUERY`, with a placeholder for each missing id. */
export const idsOf = (data) =>
  Object.fromEntries(Object.entries(PLACEHOLDERS).map(([name, placeholder]) => [name, data?.[name]?.nodes[0]?.id ?? placeholder]));

/** Returns an example's variables as the text of their editor. */
export const variablesOf = ({ variables }, ids) => (variables ? JSON.stringify(variables(ids), null, 2) : "");

export const nameOf = ({ query }) => /^(?:query|mutation|subscription) (\w+)/m.exec(query)[1];

/** Tabs opened on the first visit. */
export const firstTabs = () =>
  ["Plant", "MyWork", "Calendar", "StockChanges", "AddPhoto", "Changes"].map((name) =>
    EXAMPLES.find((example) => nameOf(example) === name),
  );

/** Variables get the ids that `idsOf` returns. */
export const EXAMPLES = [
  {
    role: "Technician",
    task: "My work orders: steps, parts, where to go",
    query: `# Pending work orders: steps, parts, where to go.
# For one person add to "filter":
#   assignedTechnician: "Mads Jensen"
query MyWork {
  workOrders(
    first: 10
    filter: { pending: true }
    orderBy: { field: SCHEDULED_DATE }
  ) {
    nodes {
      id title status priority scheduledDate
      asset { name site location }
      steps { order description status safetyNote }
      requiredParts {
        quantity
        site
        part { name unitOfMeasure }
      }
    }
  }
}
`,
  },
  {
    role: "Technician",
    task: "Find what is printed on it: any kind of record",
    query: `query Find($text: ShortText!) {
  search(text: $text, first: 10) {
    recordType
    title
    site
    node {
      id
      ... on Asset { location status }
      ... on Part { partNumber stockLevel }
    }
  }
}
`,
    variables: () => ({ text: "pump" }),
  },
  {
    role: "Technician",
    task: "Start a work order",
    query: `# Its id is in "Variables" below. Started already?
# The second run shows what a conflict looks like.
mutation StartWork($id: ID!) {
  startWorkOrder(id: $id) {
    title
    status
    startedAt
    statusChanges(
      first: 5
      orderBy: { direction: DESC }
    ) {
      nodes { fromStatus toStatus changedAt }
    }
  }
}
`,
    variables: ({ plannedOrder }) => ({ id: plannedOrder }),
  },
  {
    role: "Technician",
    task: "Tick a step, with a note",
    query: `# Step 1 of a work order that is in progress.
mutation TickStep(
  $id: ID!
  $order: Int!
  $input: UpdateWorkOrderStepInput!
) {
  updateWorkOrderStep(
    id: $id
    order: $order
    input: $input
  ) {
    title
    steps { order description status notes }
  }
}
`,
    variables: ({ startedOrder }) => ({ id: startedOrder, order: 1, input: { status: "COMPLETED", notes: "Locked out" } }),
  },
  {
    role: "Technician",
    task: "Upload a photo of an asset",
    query: `# Choose a picture for $file below, then run.
# It is sent as a GraphQL multipart request.
mutation AddPhoto(
  $assetId: ID!
  $file: Upload!
  $description: Text
) {
  uploadAssetPhoto(
    assetId: $assetId
    file: $file
    description: $description
  ) {
    id
    filename
    contentType
    size
    thumbnailUrl
  }
}
`,
    variables: ({ asset }) => ({ assetId: asset, file: null, description: "Type plate" }),
  },
  {
    role: "Planner",
    task: "The calendar of the next two weeks",
    query: `# Work orders, and what the procedures will need.
query Calendar(
  $from: DateTime!
  $until: DateTime!
) {
  calendar(from: $from, until: $until) {
    date
    dueDate
    asset { name site }
    workOrder { title status assignedTechnician }
    procedure { name estimatedDuration }
  }
}
`,
    variables: () => ({ from: inDays(0), until: inDays(14) }),
  },
  {
    role: "Planner",
    task: "Move a work order to another day and person",
    query: `# What "input" leaves out stays as it is.
mutation Reschedule(
  $id: ID!
  $input: UpdateWorkOrderInput!
) {
  updateWorkOrder(id: $id, input: $input) {
    title
    priority
    scheduledDate
    assignedTechnician
  }
}
`,
    variables: ({ plannedOrder }) => ({
      id: plannedOrder,
      input: { scheduledDate: inDays(7), assignedTechnician: "Mads Jensen", priority: "HIGH" },
    }),
  },
  {
    role: "Planner",
    task: "Procedures: how often, how long, how well kept",
    query: `query Procedures {
  procedures(
    first: 20
    filter: { status: ACTIVE }
    orderBy: { field: NEXT_DUE }
  ) {
    nodes {
      name
      frequency
      nextDue
      asset { name site }
      performance {
        completionRate
        averageDuration
      }
    }
    totalCount
  }
}
`,
  },
  {
    role: "Storekeeper",
    task: "What runs short, and who delivers it",
    query: `# Below the reorder point, the worst first.
query Shortages {
  inventory(
    first: 20
    filter: { lowStock: true }
    orderBy: {
      field: BELOW_REORDER_POINT
      direction: DESC
    }
  ) {
    nodes {
      site
      availableStock
      reorderPoint
      belowReorderPoint
      part { partNumber name supplier { name } }
    }
    totalCount
  }
}
`,
  },
  {
    role: "Storekeeper",
    task: "Receive goods",
    query: `# Run StockChanges in another window to see it.
mutation ReceiveGoods(
  $partId: ID!
  $input: MoveStockInput!
) {
  receiveStock(partId: $partId, input: $input) {
    type
    quantity
    newBalance
    site
    part { name stockLevel }
  }
}
`,
    variables: ({ part }) => ({ partId: part, input: { quantity: 5, site: "main", reference: "PO-1042" } }),
  },
  {
    role: "Storekeeper",
    task: "Stock changes, live",
    query: `# Live, over WebSocket. Run it, then change stock
# in another window: Examples > Receive goods.
# The same button ends it.
subscription StockChanges {
  stockChanged {
    type
    quantity
    newBalance
    site
    performedAt
    performedByName
    part { partNumber name }
  }
}
`,
  },
  {
    role: "Manager",
    task: "The whole plant: sites, areas, assets",
    query: `# The whole plant in one request.
# Run it with the pink button or Ctrl+Enter. Your
# key belongs in "Headers" below. In the bar at the
# edge: Docs, and Examples for every role.
query Plant {
  sites {
    name
    assetCount
    areas {
      name
      assetCount
      # A long list is a connection:
      # ask for the first n, read its nodes.
      assets(first: 5) {
        nodes { id name type status }
      }
    }
  }
}
`,
  },
  {
    role: "Manager",
    task: "Work and its cost by site and status",
    query: `query WorkBySite {
  workOrderGroups(by: [SITE, STATUS]) {
    site
    status
    count
    duration
    laborCost
    partsCost
  }
}
`,
  },
  {
    role: "Manager",
    task: "Stock value and the ABC report",
    query: `query StockValue {
  inventoryTotals {
    stockLevels
    quantity
    reserved
    totalValue
  }
  abcAnalysis(first: 20) {
    totals {
      classA { partCount totalValue }
      classB { partCount totalValue }
      classC { partCount totalValue }
    }
    nodes {
      part { partNumber name }
      class
      annualUsageValue
    }
    pageInfo { hasNextPage endCursor }
  }
}
`,
  },
  {
    role: "Manager",
    task: "Check a CSV file of assets before importing it",
    query: `# Choose a CSV file for $file. Its first line:
#   name,type,location,serialNumber
# dryRun: nothing is stored, every error is listed.
mutation CheckImport($file: Upload!) {
  importAssets(file: $file, dryRun: true) {
    imported
    failed
    errors { row field value message }
  }
}
`,
    variables: () => ({ file: null }),
  },
  {
    role: "Manager",
    task: "Component trees and status histories",
    query: `# A component also has parent, ancestors, asset and
# descendantComponents.
query AssetTree {
  assets(first: 3) {
    nodes {
      name
      components(first: 10) {
        nodes {
          id
          name
          children(first: 10) {
            nodes { id name }
          }
        }
      }
      statusChanges(
        first: 5
        orderBy: { direction: DESC }
      ) {
        nodes { toStatus changedAt }
      }
    }
  }
}
`,
  },
  {
    role: "Manager",
    task: "Move a component and its subtree",
    query: `# newParentId null: it becomes a root of its asset.
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
    name
    level
    position
    parent { name }
  }
}
`,
    variables: ({ component }) => ({ id: component, newParentId: null, position: 0 }),
  },
  {
    role: "Manager",
    task: "Who set this pump offline: what changed, by whom",
    query: `# Newest first. Filter what is asked for, such as
#   filter: { kind: UPDATED }
query WhoChangedIt($id: ID!) {
  asset(id: $id) {
    name
    status
    changes(first: 5) {
      nodes {
        kind
        changedAt
        source
        operation
        reason
        requestId
        changedBy
        fields { field before after }
      }
    }
  }
}
`,
    variables: ({ asset }) => ({ id: asset }),
  },
  {
    role: "Admin",
    task: "Whose key this is, and which keys there are",
    query: `# "viewer" is the key in "Headers".
query Keys {
  viewer { tenantId role keyName sites }
  apiKeys {
    nodes {
      name
      role
      sites
      prefix
      lastUsedAt
      expiresAt
    }
  }
}
`,
  },
  {
    role: "Admin",
    task: "Issue a key for a day",
    query: `# The secret, "key", is shown this once.
mutation IssueKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    key
    apiKey { id name role expiresAt }
  }
}
`,
    variables: () => ({ input: { name: "Line 2 sensors", role: "INGEST", expiresAt: inDays(1) } }),
  },
  {
    role: "Integrator",
    task: "Changes of the last day, page by page",
    query: `# Next page: put the endCursor of this answer into
# the variable "after" below.
query Changes($since: DateTime!, $after: String) {
  assets(
    first: 20
    after: $after
    filter: { updatedSince: $since }
    orderBy: { field: UPDATED_AT }
  ) {
    nodes { id name status updatedAt }
    pageInfo { hasNextPage endCursor }
    totalCount # counted only if selected
  }
}
`,
    variables: () => ({ since: inDays(-1), after: null }),
  },
  {
    role: "Integrator",
    task: "Send readings of a sensor",
    query: `mutation SendReadings(
  $readings: [ReadingInput!]!
) {
  recordReadings(readings: $readings) {
    recorded
    raised
  }
}
`,
    variables: ({ asset }) => ({ readings: [{ assetId: asset, parameter: "vibration", value: 4.2, unit: "mm/s", sensorID: "V-17" }] }),
  },
  {
    role: "Integrator",
    task: "Raise an alert",
    query: `# The same dedupKey again counts an occurrence.
mutation RaiseAlert(
  $input: RaiseNotificationInput!
) {
  raiseNotification(input: $input) {
    id
    status
    occurrences
    asset { name site }
  }
}
`,
    variables: ({ asset }) => ({
      input: {
        assetId: asset,
        type: "THRESHOLD",
        severity: "WARNING",
        title: "Vibration above 4 mm/s",
        message: "4.2 mm/s at the drive end",
        dedupKey: "V-17",
      },
    }),
  },
  {
    role: "Integrator",
    task: "Alerts, live",
    query: `# Live, over WebSocket. Run it, then raise one in
# another window: Examples > Raise an alert.
subscription Alerts {
  notificationRaised {
    severity
    title
    message
    timestamp
    asset { name site }
  }
}
`,
  },
  {
    role: "Integrator",
    task: "Every change, live",
    query: `# Live. Each result has a "token" in "extensions":
# with it as "after" nothing is missed. Run, then
# change an asset elsewhere.
subscription EachChange($after: String) {
  changes(
    recordTypes: [ASSET, COMPONENT, WORK_ORDER]
    after: $after
  ) {
    kind
    recordType
    changedFields
    version
    record {
      id
      ... on Asset { name status }
      ... on WorkOrder { title priority }
    }
  }
}
`,
    variables: () => ({ after: null }),
  },
];
