/** Enums of API keys and principals. */
import { defineEnum } from "../enums.js";

export const Role = defineEnum(
  "Role",
  "Role of an API key. VIEWER, TECHNICIAN, MANAGER and ADMIN form a hierarchy: each includes the preceding ones. INGEST and REQUESTER are outside the hierarchy. INGEST includes only VIEWER; REQUESTER includes no other role.",
  {
    viewer: "Can read records.",
    requester: "Can report faults and follow the outcome of its own reports. Nothing else.",
    ingest: "Can read, record readings and raise notifications. Intended for sensors and detectors.",
    technician: "Can also change components and photos, adjust and move stock, apply templates and carry out work orders.",
    manager:
      "Can also manage assets, parts, inventory records, templates, procedures and strategies, import assets, approve stock adjustments, close work orders and raise notifications.",
    admin: "Can also manage API keys and webhooks.",
  },
);
export type Role = (typeof Role)[keyof typeof Role];

/** The role hierarchy, lowest first. */
export const roleOrder: readonly Role[] = ["viewer", "technician", "manager", "admin"];

export const PrincipalKind = defineEnum("PrincipalKind", "Kind of an acting principal.", {
  person: "A person, identified by their own keys or by tokens of an identity provider.",
  system: "A program, such as a sensor, a script or another service.",
});
export type PrincipalKind = (typeof PrincipalKind)[keyof typeof PrincipalKind];
