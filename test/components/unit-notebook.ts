/** Positions, units and their stock as a person would keep them in a notebook: the model of unit-model.test.ts. It uses no database. */

export type State = "IN_STOCK" | "WITH_WORK_ORDER" | "IN_TRANSIT" | "INSTALLED" | "REMOVED" | "IN_REPAIR" | "SCRAPPED" | "LOST";
export type Condition = "NEW" | "SERVICEABLE" | "UNSERVICEABLE";

export interface Stay {
  state: State;
  condition: Condition;
  position: string | null;
  site: string | null;
  order: string | null;
  reason: string | null;
  from: number;
  /** Infinity until it ends. */
  to: number;
}

export interface ModelUnit {
  id: string;
  serialNumber: string;
  part: string | null;
  stays: Stay[];
  /** Where the books have it. Null outside of stock. */
  site: string | null;
  /** The last movement, if it was an issue. */
  issue: { order: string | null } | null;
  wasIssued: boolean;
}

export interface Position {
  id: string;
  asset: string;
  parent: string | null;
  serialNumber: string | null;
  installDate: number | null;
  /** Number of the deletion. */
  deletedBy: number | null;
}

/** A change of stock that another person approves or rejects. */
export interface Pending {
  id: string;
  unit: string;
  part: string;
  site: string;
  quantity: 1 | -1;
}

export interface Transfer {
  id: string;
  unit: string;
  part: string;
  from: string;
  to: string;
  status: "RESERVED" | "SHIPPED" | "RECEIVED" | "CANCELLED";
}

export interface Order {
  id: string;
  asset: string;
  /** Position of its step of the kind EXCHANGE. */
  position: string;
  isDone: boolean;
}

/** Times that the service chooses are later than all known ones, and equal the service's once it has answered (unit-service.ts). */
const firstUnknown = 1e15;
export const isUnknown = (time: number) => time >= firstUnknown && time !== Number.POSITIVE_INFINITY;
export const unknownId = (id: string) => id.startsWith("new ");

const now = Number.POSITIVE_INFINITY;

export class Notebook {
  units: ModelUnit[] = [];
  positions: Position[] = [];
  pending: Pending[] = [];
  transfers: Transfer[] = [];
  orders: Order[] = [];
  deletions = 0;
  private unknown = 0;

  constructor(
    /** Site of each asset. */
    readonly sites: Record<string, string>,
    /** Positions that accept one part only. */
    readonly accepted: Record<string, string> = {},
  ) {}

  clone(): Notebook {
    const copy = new Notebook(this.sites, this.accepted);
    const { units, positions, pending, transfers, orders, deletions, unknown } = this;
    return Object.assign(copy, structuredClone({ units, positions, pending, transfers, orders, deletions, unknown }));
  }

  soon = () => firstUnknown + ++this.unknown;
  newId = () => `new ${++this.unknown}`;

  unit = (id: string) => this.units.find((unit) => unit.id === id)!;
  position = (id: string) => this.positions.find((position) => position.id === id)!;
  siteOf = ({ asset }: Position) => this.sites[asset]!;
  last = (unit: ModelUnit): Stay | undefined => {
    const stay = unit.stays.at(-1);
    return stay?.to === now ? stay : undefined;
  };
  at = (unit: ModelUnit, at: number) => unit.stays.find(({ from, to }) => from <= at && at < to);

  inside(position: string): ModelUnit | undefined {
    return this.units.find((unit) => this.last(unit)?.position === position);
  }

  insideAt(position: string, at: number): ModelUnit | undefined {
    return this.units.find((unit) => this.at(unit, at)?.position === position);
  }

  stays = (position: string) => this.units.flatMap((unit) => unit.stays.filter((stay) => stay.position === position));
  isTakenAfter = (position: string, at: number) => this.stays(position).some(({ to }) => to > at);
  live = () => this.positions.filter(({ deletedBy }) => deletedBy === null);

  /** A position and those below it. */
  subtree(id: string): Position[] {
    return [this.position(id), ...this.positions.filter(({ parent }) => parent === id).flatMap((below) => this.subtree(below.id))];
  }

  accepts = (position: string, part: string | null) =>
    part === null || this.accepted[position] === undefined || this.accepted[position] === part;

  stock(part: string, site: string) {
    const quantity = this.units.filter((unit) => unit.part === part && unit.site === site).length;
    const blocked = this.pending.filter((one) => one.part === part && one.site === site && one.quantity > 0).length;
    const reserved = this.transfers.filter((one) => one.part === part && one.from === site && one.status === "RESERVED").length;
    return { quantity, blocked, reserved, available: quantity - blocked - reserved };
  }

  named(serialNumber: string, part: string | null): ModelUnit | undefined {
    return part === null ? undefined : this.units.find((unit) => unit.part === part && unit.serialNumber === serialNumber);
  }

  addUnit(serialNumber: string, part: string | null): ModelUnit {
    const unit: ModelUnit = { id: this.newId(), serialNumber, part, stays: [], site: null, issue: null, wasIssued: false };
    this.units.push(unit);
    return unit;
  }

  /** Ends the present stay, and begins another one. */
  begin(unit: ModelUnit, from: number, stay: Pick<Stay, "state" | "condition"> & Partial<Stay>): void {
    const last = this.last(unit);
    if (last) last.to = from;
    unit.stays.push({ position: null, site: null, order: null, reason: null, from, to: now, ...stay });
  }

  /** The units and the stays of each position follow one another without overlap, and units without gaps. */
  isWhole(): boolean {
    const follows = (stays: Stay[]) => stays.every((stay, i) => stay.from < stay.to && (i === 0 || stays[i - 1]!.to <= stay.from));
    const sorted = (stays: Stay[]) => stays.toSorted((a, b) => a.from - b.from);
    for (const unit of this.units) unit.stays = sorted(unit.stays);
    return this.units.every(({ stays }) => follows(stays)) && this.positions.every(({ id }) => follows(sorted(this.stays(id))));
  }

  /** Everything that the exchange in a position ended and began is at another time. */
  moveExchange(position: string, from: number, to: number): void {
    for (const { stays } of this.units) {
      if (!stays.some((stay) => stay.position === position && (stay.from === from || stay.to === from))) continue;
      for (const stay of stays) {
        if (stay.from === from) stay.from = to;
        else if (stay.to === from) stay.to = to;
      }
    }
  }

  /** Another unit was in the position, and came out of it. False if it cannot have been there. */
  name(former: ModelUnit, stay: Stay, unit: ModelUnit, mayForce: boolean): boolean {
    const { from, to, order } = stay;
    const site = this.siteOf(this.position(stay.position!));
    const meanwhile = unit.stays.filter((other) => other.from < to && from < other.to);
    const [elsewhere] = meanwhile;
    if (meanwhile.length > 1) return false;
    if (elsewhere && (elsewhere.from >= from || ["INSTALLED", "IN_STOCK", "IN_TRANSIT"].includes(elsewhere.state))) return false;
    if (elsewhere && !mayForce && (elsewhere.state === "SCRAPPED" || elsewhere.condition === "UNSERVICEABLE")) return false;
    const until = elsewhere ? elsewhere.to : (unit.stays[0]?.from ?? now);
    if (elsewhere) elsewhere.to = from;
    const removal = former.stays.find((other) => other.from === to && other.state === "REMOVED");
    const stayed = removal ? removal.to : to;
    if (removal) former.stays.splice(former.stays.indexOf(removal), 1);
    if (to < now) {
      const made: Stay = { state: "REMOVED", condition: "UNSERVICEABLE", position: null, site, order, reason: null, from: to, to: until };
      unit.stays.push(removal ? { ...removal, to: until } : made);
    }
    former.stays.splice(former.stays.indexOf(stay), 1);
    unit.stays.push({ ...stay, condition: elsewhere?.condition ?? "SERVICEABLE" });
    const before = former.stays.find((other) => other.to === from);
    if (!before) return true;
    if (!["INSTALLED", "IN_STOCK", "IN_TRANSIT"].includes(before.state)) {
      before.to = stayed;
      return true;
    }
    const state = order === null ? "REMOVED" : "WITH_WORK_ORDER";
    former.stays.push({ state, condition: before.condition, position: null, site, order, reason: null, from, to: stayed });
    return true;
  }

  /** Records the meaning of a position's present serial number. */
  write(position: Position): void {
    const wanted = position.deletedBy === null ? position.serialNumber : null;
    const site = this.siteOf(position);
    const former = this.inside(position.id);
    const ends = this.soon();
    if (former) {
      if (former.serialNumber === wanted) {
        const stay = this.last(former)!;
        const isOnlyOne = former.stays.length === 1 && this.stays(position.id).length === 1;
        if (isOnlyOne && position.installDate !== null) stay.from = position.installDate;
        return;
      }
      this.last(former)!.reason = "UNKNOWN";
      this.begin(former, ends, { state: "REMOVED", condition: "UNSERVICEABLE", site });
    }
    if (wanted === null) return;
    const free = this.units.filter((unit) => {
      const { state, site: place } = this.last(unit) ?? {};
      return unit.serialNumber === wanted && (state === "REMOVED" || state === "WITH_WORK_ORDER") && place === site;
    });
    const { installDate } = position;
    let begins = installDate !== null && !this.isTakenAfter(position.id, installDate) ? installDate : ends;
    const unit = free.length === 1 ? free[0]! : this.addUnit(wanted, null);
    if (free.length === 1) begins = Math.max(begins, this.last(unit)!.from + 1);
    this.begin(unit, begins, { state: "INSTALLED", condition: "SERVICEABLE", position: position.id });
  }
}
