/** Maintenance plans and faults of the demo plant, by asset type. */
import type { ProcedureFrequency, SafetyRequirement } from "../schema/maintenance/enums.js";

type Quantities = readonly (readonly [partNumber: string, quantity: number])[];

export interface Plan {
  name: string;
  frequency: ProcedureFrequency;
  /** Number of assets that the plan covers. */
  assets: number;
  /** Days since its introduction. */
  since: number;
  minutes: number;
  steps: readonly string[];
  parts: Quantities;
  safety: readonly SafetyRequirement[];
}

/** Maintenance plans by asset type of the demo catalogue. */
export const plans: Record<string, Plan> = {
  Pump: {
    name: "Quarterly pump service",
    frequency: "quarterly",
    assets: 8,
    since: 730,
    minutes: 90,
    steps: [
      "Isolate and lock out",
      "Check coupling alignment",
      "Grease the motor bearings",
      "Inspect the mechanical seal for leaks",
      "Run up and record vibration",
    ],
    parts: [
      ["GRS-LGHP-2", 0.2],
      ["GSK-EPDM-80", 2],
    ],
    safety: ["lockout_tagout", "ppe"],
  },
  Compressor: {
    name: "Monthly compressor check",
    frequency: "monthly",
    assets: 4,
    since: 480,
    minutes: 60,
    steps: ["Drain the condensate", "Top up the oil", "Change the intake filter"],
    parts: [
      ["OIL-ISO-46", 4],
      ["FLT-W962", 1],
    ],
    safety: ["ppe"],
  },
  Conveyor: {
    name: "Weekly conveyor inspection",
    frequency: "weekly",
    assets: 5,
    since: 49,
    minutes: 30,
    steps: ["Look for worn modules", "Check belt tracking and tension"],
    parts: [],
    safety: ["lockout_tagout"],
  },
};

export interface Fault {
  seen: string;
  mode: string;
  cause: string;
  remedy: string;
  found: string;
  left: string;
  /** In hours. */
  repair: number;
  parts: Quantities;
  stopsProduction: boolean;
}

const fault = (
  seen: string,
  [mode, cause, remedy]: readonly [string, string, string],
  [found, left]: readonly [string, string],
  repair: number,
  parts: Quantities = [],
  stopsProduction = true,
): Fault => ({ seen, mode, cause, remedy, found, left, repair, parts, stopsProduction });

/** Codes are the built-in ones of the type's class. */
export const faults: Record<string, readonly Fault[]> = {
  Pump: [
    fault(
      "Product drips from the shaft, puddle under the pump",
      ["seal-leak", "seal-wear", "seal-replaced"],
      ["Seal faces scored, about a litre an hour", "Dry at operating pressure"],
      4,
      [["SEA-MG1-43", 1]],
    ),
    fault(
      "Loud hum and shaking at the drive end",
      ["vibration", "bearing-wear", "bearing-replaced"],
      ["7.8 mm/s, outer race pitted", "1.9 mm/s after 30 minutes"],
      6,
      [
        ["BRG-6309-2Z", 2],
        ["GRS-LGHP-2", 0.2],
      ],
    ),
    fault(
      "Tank fills too slowly",
      ["no-delivery", "clogged-suction", "cleaned"],
      ["Strainer full of label scraps", "Flow back to nominal"],
      1.5,
      [],
      false,
    ),
  ],
  Compressor: [
    fault(
      "Stopped by itself, display says discharge temperature",
      ["high-discharge-temperature", "cooler-fouled", "cleaned"],
      ["112 °C, cooler matted with dust", "84 °C at full load"],
      3,
    ),
    fault(
      "Net pressure drops below 6 bar",
      ["low-pressure", "filter-clogged", "filter-replaced"],
      ["Intake filter black", "7.2 bar held"],
      2,
      [["FLT-AIR-G4", 1]],
    ),
    fault(
      "Oil mist at the air guns",
      ["oil-carry-over", "oil-degraded", "oil-changed"],
      ["Oil dark and foaming", "No oil at the test paper"],
      2.5,
      [
        ["OIL-ISO-46", 12],
        ["FLT-W962", 1],
      ],
      false,
    ),
  ],
  Conveyor: [
    fault(
      "Belt runs against the frame",
      ["belt-runs-off", "tension", "belt-tracked"],
      ["20 mm off centre, edge frayed", "Runs in the middle"],
      0.75,
    ),
    fault(
      "Line stopped, bottles piled up at the transfer",
      ["jammed", "spillage", "cleared"],
      ["Broken glass under the chain", "Ran empty and loaded, no noise"],
      0.5,
    ),
    fault("Squeals and slips under load", ["belt-slips", "drive-fault", "replaced"], ["V-belts glazed", "Tension 1.1 kN, no slip"], 1.5, [
      ["BLT-SPB-2000", 2],
    ]),
  ],
  Filler: [
    fault(
      "Does not start after cleaning",
      ["does-not-start", "control", "reset"],
      ["Door switch reported open", "Started three times"],
      0.5,
    ),
    fault(
      "Contactor chatters, filler stops now and then",
      ["stops-unasked", "power-supply", "replaced"],
      ["Contacts burnt", "Pulls in cleanly"],
      2,
      [["ELE-3RT2036", 1]],
    ),
  ],
  "Air Handler": [
    fault(
      "Little air in the hall",
      ["low-output", "blockage", "cleaned"],
      ["Filters at 480 Pa", "110 Pa with new panels"],
      1,
      [["FLT-AIR-G4", 4]],
      false,
    ),
  ],
};
