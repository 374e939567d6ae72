/** Enums of API keys and of whom they belong to. */
import { defineEnum } from "../enums.js";

export const Role = defineEnum(
  "Role",
  "Permissions of an API key. VIEWER, TECHNICIAN, MANAGER and ADMIN form a hierarchy: each includes the ones before it. INGEST is outside the hierarchy and includes only VIEWER, REQUESTER includes none.",
  {
    viewer: "Can read records.",
    requester: "Can report faults and read what became of those that it reported. Nothing else.",
    ingest: "Can read, record readings and raise notifications. Meant for sensors and detectors.",
    technician: "Can also change components and photos, adjust and move stock, apply templates and carry out work orders.",
    manager:
      "Can also manage assets, parts, inventory records, templates, procedures and strategies, import assets, approve stock adjustments, close work orders and raise notifications.",
    admin: "Can also manage API keys and webhooks.",
  },
);
export type Role = (typeof Role)[keyof typeof Role];

/** The role hierarchy, lowest first. */
export const roleOrder: readonly Role[] = ["viewer", "technician", "manager", "admin"];

export const PrincipalKind = defineEnum("PrincipalKind", "Who acts.", {
  person: "Somebody, by keys of their own or by tokens of an identity provider.",
  system: "A program, such as a sensor, a script or another service.",
});
export type PrincipalKind = (typeof PrincipalKind)[keyof typeof PrincipalKind];
