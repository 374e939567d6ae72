/** Operations on units, as the model chooses, records and sends them. */
import type { Condition, Notebook, State } from "./unit-notebook.js";

export interface Named {
  id?: string;
  partId?: string;
  serialNumber?: string;
}

export type Operation =
  | { kind: "exchange"; position: string; unit?: Named; reason?: string; order?: string; at?: number; notes?: string }
  | {
      kind: "step";
      order: string;
      removed?: { unitId?: string; serialNumber?: string };
      unit?: Named;
      reason?: string;
      at?: number;
      notes?: string;
    }
  | { kind: "swap"; positions: [string, string]; reason: string; order?: string; at?: number; notes?: string }
  | { kind: "move"; unit: string; state: State; condition?: Condition; at?: number }
  | { kind: "correct"; unit: string; stay: number; period: string; startedAt?: number; endedAt?: number; unitId?: string; notes?: string }
  | { kind: "receive" | "return" | "issue" | "gain" | "writeOff"; part: string; site: string; serialNumber: string }
  | { kind: "issueToOrder" | "returnFromOrder"; order: string; part: string; site: string; serialNumber: string }
  | { kind: "transfer" | "start"; part: string; serialNumber: string; from: string; to: string }
  | { kind: "ship" | "arrive" | "cancel"; transfer: string }
  | { kind: "approve" | "reject"; pending: string }
  | { kind: "put"; position: string; serialNumber: string | null; installDate?: number }
  | { kind: "delete"; position: string; way: "rest" | "refuse" | "remove" }
  | { kind: "restore"; position: string }
  | { kind: "rehome"; position: string; asset?: string; parent?: string };

/** Operations of a kind. */
export type Of<K extends Operation["kind"], O = Operation> = O extends { kind: infer L } ? ([K & L] extends [never] ? never : O) : never;

/** "either" if the notebook does not know: which reservation has the stock that is short. */
export type Outcome = boolean | "either";

/** True from the moment at which the operation is sent. */
export const isFuture = (at: number | undefined) => at !== undefined && at > Date.now() + 1000;

export type Rules<K extends Operation["kind"]> = { [One in K]: (book: Notebook, operation: Of<One>) => Outcome };
