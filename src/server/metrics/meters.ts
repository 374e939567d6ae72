/** A sample: labels and value. */

export type Labelled = [labels: Record<string, string>, value: number];

/** Values are read when /metrics is requested. */
export interface Meters {
  counter(name: string, help: string, labelNames: string[], read: () => Labelled[]): void;
  gauge(name: string, help: string, labelNames: string[], read: () => Labelled[] | Promise<Labelled[]>): void;
}
