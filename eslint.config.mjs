/** The lint of the schema, src/schema/schema.graphql, alone. Everything else is Biome's. */
import graphql from "@graphql-eslint/eslint-plugin";

/** Fields that begin with their type's name because the trade has no other word for them, or other types have the same field. */
const wordsOfTheTrade = ["Part.partNumber", "Change.changedAt", "Change.changedBy"];

const { "no-typename-prefix": prefixRule } = graphql.rules;
const noTypenamePrefix = {
  ...prefixRule,
  create: (context) =>
    prefixRule.create({
      options: context.options,
      report(problem) {
        if (!wordsOfTheTrade.includes(`${problem.data.typeName}.${problem.data.fieldName}`)) context.report(problem);
      },
    }),
};

/** Object types whose objects are values, results or groups: nothing refers to them, so they need no id. */
const withoutId = [
  "AssetReliability",
  "DowntimeByCause",
  "FailuresByCode",
  "Reliability",
  "ReliabilityEvidence",
  "ReliabilityMonth",
  "Mail",
  "GroupedAssets",
  "MovementHistory",
  "CountEstimate",
  "PageInfo",
  "Pagination",
  "BulkOutcome",
  "CreatedWebhook",
  "FileColumn",
  "ImportChange",
  "ImportError",
  "ImportOutcome",
  "ImportRow",
  "InspectedFile",
  "SheetColumn",
  "InventoryDeletion",
  "IssuedKey",
  "NewCalendarFeed",
  "NewReportLink",
  "SheetOutcome",
  "PhotoUpload",
  "ProcedureAsset",
  "ReadingAggregate",
  "ReadingResult",
  "RecordedReadings",
  "ReplayedDeliveries",
  "TemplateApplication",
  "TemplateDrift",
  "TemplateUsage",
  "InstanceUpgrade",
  "InstanceUpgrades",
  "KeyedTemplateItem",
  "TemplateDifference",
  "TemplateFieldDifference",
  "DetectorPrecision",
  "AbcAnalysis",
  "AbcClassTotals",
  "AbcPart",
  "AbcTotals",
  "PartTurnover",
  "StockTurnover",
  "TurnoverTotals",
  "InventoryReport",
  "InventoryTotals",
  "LedgerFault",
  "LedgerInstant",
  "LedgerVerification",
  "PastStock",
  "PendingApprovals",
  "AlternativePart",
  "CompatibleAsset",
  "StockBatch",
  "StockSerial",
  "ProcedureExecution",
  "ProcedurePart",
  "ProcedurePerformance",
  "ProcedureStep",
  "SchedulingRules",
  "UpcomingOccurrence",
  "Compliance",
  "DateReason",
  "GapWarning",
  "Holiday",
  "ScheduledDate",
  "MeterUsage",
  "ProcedureCondition",
  "ProcedureMeter",
  "RecordedMeterReadings",
  "SchedulerStatus",
  "StrategyCosts",
  "StrategyPerformance",
  "StrategyResource",
  "TriggerCondition",
  "Dimensions",
  "Supplier",
  "SupplierContact",
  "Permission",
  "Viewer",
  "ChangeEvent",
  "FieldChange",
  "SyncPage",
  "SyncedRecord",
  "MaterialForecast",
  "MaterialNeed",
  "ReorderProposal",
  "Shortage",
  "SupplierOrder",
  "CalendarEntry",
  "WorkRequestProgress",
  "ScanMatch",
  "SearchHighlight",
  "SearchResult",
  "TextRange",
];

export default [
  {
    files: ["src/schema/schema.graphql"],
    languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema: "src/schema/schema.graphql" } } },
    plugins: { "@graphql-eslint": graphql, house: { rules: { "no-typename-prefix": noTypenamePrefix } } },
    rules: {
      // One way of writing names. What an input is for stands at its end; a field needs no verb to be read, nor its kind repeated.
      "@graphql-eslint/naming-convention": [
        "error",
        {
          types: "PascalCase",
          FieldDefinition: "camelCase",
          InputValueDefinition: "camelCase",
          Argument: "camelCase",
          DirectiveDefinition: "camelCase",
          EnumValueDefinition: "UPPER_CASE",
          ObjectTypeDefinition: { style: "PascalCase", forbiddenPatterns: [/(Type|Object|Input)$/] },
          InterfaceTypeDefinition: { style: "PascalCase", forbiddenPatterns: [/^Interface|Interface$/] },
          EnumTypeDefinition: { style: "PascalCase", forbiddenPatterns: [/^Enum|Enum$/] },
          InputObjectTypeDefinition: { style: "PascalCase", requiredPattern: /(Input|Filter|Range|Order|Customizations)$/ },
          "FieldDefinition[parent.name.value=Query]": { forbiddenPatterns: [/^(query|get|list|fetch|all)[A-Z]|Query$/] },
          "FieldDefinition[parent.name.value=Mutation]": { forbiddenPatterns: [/^mutation|Mutation$/] },
          "FieldDefinition[parent.name.value=Subscription]": { forbiddenPatterns: [/^subscri|Subscription$/] },
        },
      ],
      // The schema is its own documentation.
      "@graphql-eslint/require-description": [
        "error",
        {
          types: true,
          rootField: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
          DirectiveDefinition: true,
        },
      ],
      // `asset.name`, not `asset.assetName`.
      "house/no-typename-prefix": "error",
      // Clients keep objects by their id, so every type either has one or is named above as a value.
      "@graphql-eslint/strict-id-in-types": ["error", { exceptions: { suffixes: ["Connection", "Edge", "Group"], types: withoutId } }],
      // A value that stands twice in an enum, in capitals or not, is a mistake.
      "@graphql-eslint/unique-enum-value-names": "error",
      // A type that no field leads to is left over.
      "@graphql-eslint/no-unreachable-types": "error",
      // A mutation answers with the record it changed, which clients then have in their stores.
      "@graphql-eslint/no-scalar-result-type-on-mutation": "error",
      // A root field that is refused is null, and takes no other with it.
      "@graphql-eslint/require-nullable-result-in-root": "error",
      // Whoever reads that a field goes must learn what to use; test/schema/changes.unit.test.ts holds the form, with its date.
      "@graphql-eslint/require-deprecation-reason": "error",
      // Relay's specification, which client libraries page by.
      "@graphql-eslint/relay-connection-types": "error",
      "@graphql-eslint/relay-page-info": "error",
      "@graphql-eslint/relay-arguments": "error",
      // Edges are Relay's too; short lists, and a connection's `nodes`, are lists of the records themselves.
      "@graphql-eslint/relay-edge-types": ["error", { listTypeCanWrapOnlyEdgeType: false }],
    },
  },
];
