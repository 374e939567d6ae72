// Readings of /metrics over time.

/** One label of a series: name, equals sign and quoted value. */
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Parses Prometheus' text format into samples `{ name, labels, value }`. */
export function parseMetrics(text) {
  const samples = [];
  for (const line of text.split("\n")) {
    if (!line || line.startsWith("#")) continue;
    const at = line.lastIndexOf(" ");
    const [, name, inner = ""] = /^([\w:]+)(?:\{(.*)\})?$/.exec(line.slice(0, at));
    const labels = Object.fromEntries([...inner.matchAll(label)].map(([, key, value]) => [key, value.replace(/\\(.)/g, "$1")]));
    samples.push({ name, labels, value: Number(line.slice(at + 1)) });
  }
  return samples;
}

/** Readings by metric name and series. */
export class Store {
  /** Name → labels as text → `{ labels, points: [seconds, value][] }`. */
  #metrics = new Map();

  /** `extra` are the labels that Prometheus adds when it scrapes. */
  add(seconds, samples, extra = {}) {
    for (const { name, labels, value } of samples) {
      let ofName = this.#metrics.get(name);
      if (!ofName) this.#metrics.set(name, (ofName = new Map()));
      const all = { ...labels, ...extra };
      const key = JSON.stringify(Object.entries(all).sort());
      let series = ofName.get(key);
      if (!series) ofName.set(key, (series = { labels: all, points: [] }));
      series.points.push([seconds, value]);
    }
  }

  of(name) {
    return [...(this.#metrics.get(name)?.values() ?? [])];
  }
}
