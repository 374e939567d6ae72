/** Finds the column of a sheet for a header cell: by name regardless of case, spaces and punctuation, or by a usual synonym. */
import type { Column } from "./cells.js";

/** Header texts of other systems by field, in English and German. A column's own name goes first. */
const synonyms: Record<string, string[]> = {
  name: ["asset name", "part name", "Bezeichnung", "Benennung"],
  type: ["asset type", "kind", "Typ", "Art"],
  title: ["Titel", "subject"],
  location: ["storage location", "storage bin", "bin", "Lagerplatz", "Lagerort", "Ort"],
  serialNumber: ["serial", "serial no", "s/n", "Seriennummer", "Serien-Nr."],
  manufacturer: ["maker", "make", "Hersteller"],
  manufacturerPartNumber: ["manufacturer part no", "mpn", "Herstellernummer"],
  model: ["Modell"],
  installationDate: ["installed", "installed on", "commissioned", "Installationsdatum", "Einbaudatum", "Inbetriebnahme"],
  installDate: ["installed", "installed on", "Installationsdatum", "Einbaudatum"],
  description: ["Beschreibung"],
  category: ["Kategorie", "Warengruppe"],
  criticality: ["Kritikalität"],
  site: ["plant", "Werk"],
  area: ["Bereich"],
  partNumber: ["part no", "part", "item number", "material number", "sku", "Teilenummer", "Artikelnummer", "Materialnummer"],
  quantity: ["qty", "stock", "on hand", "Menge", "Bestand"],
  unitCost: ["cost", "price", "unit price", "Preis", "Stückpreis"],
  unitOfMeasure: ["unit", "uom", "Einheit", "Mengeneinheit"],
  currency: ["Währung"],
  minimumStock: ["min stock", "minimum", "Mindestbestand"],
  maximumStock: ["max stock", "maximum", "Höchstbestand"],
  reorderPoint: ["reorder level", "Meldebestand"],
  asset: ["equipment", "machine", "Anlage", "Maschine"],
  parameter: ["measurement", "Messgröße"],
  value: ["Wert", "Messwert"],
  unit: ["Einheit"],
  recordedAt: ["time", "timestamp", "date", "Zeitpunkt", "Datum"],
  startedAt: ["start", "started", "Beginn"],
  completedAt: ["end", "completed", "finished", "Ende"],
  priority: ["Priorität"],
};

const normal = (name: string) =>
  name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** Returns a function that finds the column of a header text. */
export function columnFinder(columns: readonly Column[]): (header: string) => Column | undefined {
  const exact = new Map<string, Column>();
  const known = new Map<string, Column>();
  const add = (names: readonly string[], column: Column) => {
    for (const name of names) if (!known.has(normal(name))) known.set(normal(name), column);
  };
  for (const column of columns) {
    for (const name of column.names) exact.set(name, column);
    add(column.names, column);
  }
  for (const column of columns) add(synonyms[column.field] ?? [], column);
  return (header) => exact.get(header) ?? known.get(normal(header));
}
