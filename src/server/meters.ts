/** What figures are added to. */

export type Labelled = [labels: Record<string, string>, value: number];

/** Each figure is read when the text of /metrics is asked for. */
export interface Meters {
  counter(name: string, help: string, labelNames: string[], read: () => Labelled[]): void;
  gauge(name: string, help: string, labelNames: string[], read: () => Labelled[] | Promise<Labelled[]>): void;
}
