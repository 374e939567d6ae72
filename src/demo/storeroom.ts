/** Spare parts of the demo plant, and two years of stock history. */
import type { TenantDatabase } from "../database/database.js";
import type { Actor } from "../domain/access/keys.js";
import { createPart } from "../domain/inventory/parts/parts.js";
import { moveStock, updateInventory } from "../domain/inventory/stock/inventory.js";
import type { UnitOfMeasure } from "../schema/inventory/enums.js";
import { currency } from "./currency.js";
import type { Happening } from "./timeline.js";

/** partNumber | name | category | manufacturer | unit | unitCost | minimum | reorder point | maximum | in stock */
const spares = `
BRG-6205-2RS | Deep groove ball bearing 6205-2RSH | Bearings | SKF | each | 9.8 | 8 | 12 | 60 | 34
BRG-6309-2Z | Deep groove ball bearing 6309-2Z/C3 | Bearings | SKF | each | 31.5 | 4 | 8 | 40 | 18
BRG-22212 | Spherical roller bearing 22212 E | Bearings | SKF | each | 96 | 2 | 4 | 12 | 3
SEA-MG1-43 | Mechanical seal MG1 43 mm | Seals | EagleBurgmann | each | 148 | 2 | 4 | 12 | 6
SEA-LIP-40 | Rotary shaft lip seal 40x62x7 | Seals | Freudenberg | each | 4.9 | 10 | 20 | 80 | 52
GSK-EPDM-80 | EPDM flange gasket DN 80 | Seals | Klinger | each | 3.2 | 20 | 40 | 200 | 131
FLT-W962 | Oil filter W 962 | Filters | Mann+Hummel | each | 14.7 | 6 | 10 | 40 | 22
FLT-AIR-G4 | Panel air filter G4 592x592 | Filters | Camfil | each | 18.4 | 10 | 20 | 80 | 41
BLT-SPB-2000 | V-belt SPB 2000 | Belts | Gates | each | 22.6 | 6 | 10 | 40 | 9
OIL-ISO-46 | Compressor oil ISO VG 46 | Lubricants | Shell | liter | 7.1 | 40 | 80 | 400 | 220
GRS-LGHP-2 | Electric motor grease LGHP 2 | Lubricants | SKF | kilogram | 24 | 5 | 10 | 40 | 16
ELE-3RT2036 | Contactor 3RT2036 | Electrical | Siemens | each | 112 | 2 | 3 | 10 | 0
ELE-FUSE-63 | Fuse gG 63 A | Electrical | Siemens | set | 8.5 | 10 | 20 | 100 | 64
FST-M12X40 | Hexagon bolt M12x40 A4 | Fasteners | Würth | box | 19 | 4 | 6 | 20 | 11
SAF-GLV-9 | Cut-resistant gloves size 9 | Safety | Ansell | pair | 6.4 | 20 | 30 | 120 | 88`;

/** Stock of sites other than main: partNumber | site | minimum | reorder point | maximum | in stock. One part is below its minimum. */
const siteSpares = `
GSK-EPDM-80 | Rotterdam Bottling | 6 | 12 | 60 | 24
GSK-EPDM-80 | Antwerp Chemicals | 6 | 12 | 60 | 18
FLT-W962 | Rotterdam Bottling | 2 | 4 | 12 | 6
FLT-W962 | Aarhus Dairy | 2 | 4 | 12 | 1
OIL-ISO-46 | Aarhus Dairy | 20 | 40 | 120 | 60
BRG-6309-2Z | Rotterdam Bottling | 2 | 4 | 12 | 5
SEA-MG1-43 | Antwerp Chemicals | 1 | 2 | 6 | 3`;

const rowsOf = (table: string) =>
  table
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));

interface Shelf {
  partNumber: string;
  partId: string;
  site: string;
  unitCost: number;
  reorderPoint: number;
  maximum: number;
  /** Quantity at the end of the history. */
  target: number;
  /** Quantity at the point of the history that is being loaded. */
  quantity: number;
}

const day = 86_400_000;
const round = (quantity: number, step: number) => Math.round(quantity / step) * step;

export class Storeroom {
  private readonly shelves = new Map<string, Shelf>();

  private constructor(
    private readonly db: TenantDatabase,
    private readonly actor: Actor,
    private readonly random: () => number,
  ) {}

  /** Creates the parts and their empty stock levels. */
  static async open(db: TenantDatabase, actor: Actor, random: () => number): Promise<Storeroom> {
    const room = new Storeroom(db, actor, random);
    for (const row of rowsOf(spares)) await room.addPart(row);
    for (const row of rowsOf(siteSpares)) room.addShelf(row);
    return room;
  }

  get partCount(): number {
    return new Set([...this.shelves.values()].map(({ partId }) => partId)).size;
  }

  partId(partNumber: string): string {
    return this.shelf(partNumber).partId;
  }

  private shelf(partNumber: string, site = "main"): Shelf {
    return this.shelves.get(`${partNumber} ${site}`) ?? this.shelf(partNumber);
  }

  private async addPart([partNumber = "", name = "", category, manufacturer, unit, ...figures]: string[]): Promise<void> {
    const [unitCost = 0, minimumStock, reorderPoint = 0, maximum = 0, target = 0] = figures.map(Number);
    const part = await createPart(this.db, this.actor, {
      partNumber,
      name,
      category,
      manufacturer,
      unitOfMeasure: unit as UnitOfMeasure,
      unitCost,
      currency,
      minimumStock,
      reorderPoint,
      maximumStock: maximum,
      isCritical: category === "Bearings",
      site: "main",
    });
    const shelf = { partNumber, partId: part.id, site: "main", unitCost, reorderPoint, maximum, target, quantity: 0 };
    this.shelves.set(`${partNumber} main`, shelf);
  }

  private addShelf([partNumber = "", site = "", ...figures]: string[]): void {
    const [, reorderPoint = 0, maximum = 0, target = 0] = figures.map(Number);
    this.shelves.set(`${partNumber} ${site}`, { ...this.shelf(partNumber), site, reorderPoint, maximum, target, quantity: 0 });
  }

  /** Finds stock for work at a site, limited to the available quantity; undefined if there is none. */
  take(partNumber: string, site: string, quantity: number): { partId: string; site: string; quantity: number } | undefined {
    const shelf = this.shelf(partNumber, site);
    const taken = Math.min(quantity, shelf.quantity);
    if (taken <= 0) return undefined;
    shelf.quantity = round(shelf.quantity - taken, 0.0001);
    return { partId: shelf.partId, site: shelf.site, quantity: taken };
  }

  /** Biweekly deliveries and small withdrawals; finally, an adjustment to the target quantities. */
  *fortnights(since: number, until: number): Generator<Happening> {
    for (let begun = since; begun < until - 12 * day; begun += 14 * day) {
      yield this.happening(begun, () => this.deliveries(new Date(begun)));
      const taken = begun + (1 + 10 * this.random()) * day;
      yield this.happening(taken, () => this.withdrawals(new Date(taken)));
    }
    yield this.happening(until, () => this.settle(new Date(until)));
  }

  /** Sets the limits of sites with their own. */
  async setLimits(): Promise<void> {
    for (const [partNumber = "", site, ...figures] of rowsOf(siteSpares)) {
      const [minimumStock, reorderPoint, maximumStock] = figures.map(Number);
      await updateInventory(this.db, this.actor, this.partId(partNumber), { site, minimumStock, reorderPoint, maximumStock });
    }
  }

  private happening(at: number, load: () => Promise<void>): Happening {
    return { at, load: () => load().then(() => []) };
  }

  /** Prices vary slightly between deliveries. */
  private async deliveries(performedAt: Date): Promise<void> {
    for (const shelf of this.shelves.values()) {
      if (shelf.quantity > shelf.reorderPoint) continue;
      const isFirst = shelf.quantity === 0 && shelf.site === "main";
      const quantity = shelf.maximum - shelf.quantity;
      await this.move(shelf, quantity, performedAt, isFirst ? "Opening stock" : "Delivery");
    }
  }

  private async withdrawals(performedAt: Date): Promise<void> {
    const main = [...this.shelves.values()].filter(({ site, quantity }) => site === "main" && quantity > 1);
    const shelf = main[Math.floor(this.random() * main.length)];
    if (!shelf) return;
    const quantity = Math.max(1, round(Math.min(shelf.quantity, shelf.maximum * 0.3) * this.random(), 1));
    await this.move(shelf, -quantity, performedAt, "Handed out in the workshop");
  }

  private async settle(performedAt: Date): Promise<void> {
    for (const shelf of this.shelves.values()) {
      const missing = round(shelf.target - shelf.quantity, 0.0001);
      if (missing) await this.move(shelf, missing, performedAt, missing > 0 ? "Delivery" : "Handed out in the workshop");
    }
  }

  private async move(shelf: Shelf, quantity: number, performedAt: Date, reason: string): Promise<void> {
    const { partId, site } = shelf;
    const unitCost = round(shelf.unitCost * (0.95 + 0.1 * this.random()), 0.01);
    shelf.quantity += quantity;
    const times = { site, quantity: Math.abs(quantity), performedAt, reason };
    if (quantity > 0) await moveStock(this.db, this.actor, partId, "receipt", { ...times, unitCost });
    else await moveStock(this.db, this.actor, partId, "issue", times);
  }
}
