/** Labels of custom fields and specifications. */
import { expect, test } from "vitest";
import { factLabel } from "../../console/src/parts/fact-label.js";

test.each([
  ["power_kw", "Power (kW)"],
  ["powerKw", "Power (kW)"],
  ["powerKW", "Power (kW)"],
  ["flow_m3h", "Flow (m³/h)"],
  ["flowM3h", "Flow (m³/h)"],
  ["capacity_l_h", "Capacity (l/h)"],
  ["head_m", "Head (m)"],
  ["accuracy_percent", "Accuracy (%)"],
  ["vacuum_mbar", "Vacuum (mbar)"],
  ["connected_load_kw", "Connected load (kW)"],
  ["hygieneClass", "Hygiene class"],
  ["SAPNumber", "SAP number"],
  ["ATEX_zone", "ATEX zone"],
  ["MAINTENANCE_CLASS", "Maintenance class"],
  ["series_a", "Series a"],
  ["kw", "Kw"],
  ["Rated power kW", "Rated power kW"],
  ["IP class", "IP class"],
  ["größeMm", "Größe (mm)"],
  ["__", "__"],
])("%s: %s", (key, label) => expect(factLabel(key)).toBe(label));
